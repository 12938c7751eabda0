import { call, configuration } from './configuration-parts.ts'
import type { Configuration } from './exploration-types.ts'

/** Configurations with calls that run by a grant, and with calls whose permission a manager must give. */
export const ofPermissions: readonly Configuration[] = [
  configuration('a call that runs by a grant, beside one that is asked about', {
    turns: [[call('1.a', 'granted'), call('1.b', 'suspended')]],
    outcomes: { gateCall: ['allowed', 'refused', 'suspended'], gateReplay: ['allowed', 'refused'] },
    interference: { decisions: ['resume', 'cancel'], cancelCall: true },
  }),
  configuration('a call whose permission is asked for, beside another', {
    turns: [[call('1.a', 'requested'), call('1.b')]],
    outcomes: { askManager: ['asked', 'failed'], gateReplay: ['supplied'] },
    interference: {
      cancelRun: true,
      fail: true,
      strays: true,
      decisions: ['resume', 'cancel'],
      cancelCall: true,
      expiry: true,
      wake: true,
    },
    reason: 'permission',
  }),
  configuration('running time over while permissions are asked for', {
    options: { limits: [{ code: 'max_duration', max: 100, action: 'stop' }] },
    turns: [[call('1.a', 'requested')]],
    outcomes: { askManager: ['asked', 'failed'], gateReplay: ['supplied'] },
    interference: { decisions: ['resume', 'cancel'], cancelRun: true },
    reason: 'permission',
  }),
]
