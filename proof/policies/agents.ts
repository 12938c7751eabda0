import { createAgent, tool } from '../../src/index.ts'
import { policies } from '../../src/core/plugins/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import type { AgentSource } from '../../src/testing/paths/agent-under-test.ts'
import { z } from 'zod'

/** An agent with policies that all of its runs keep, and with others that a run can break. */
export interface ProvenAgent {
  readonly source: AgentSource
  readonly kept: readonly string[]
  readonly broken: readonly string[]
}

const nothing = z.object({})
const act = (name: string, effects: 'none' | 'idempotent' | 'once' = 'once') =>
  tool({ name, description: name, input: nothing, effects, execute: () => name })

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  execute: ({ amount }) => `Paid ${amount}.`,
})
const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ place: z.string() }),
  effects: 'none',
  execute: ({ place }) => place,
})

/** Rules alone: an approval above 5, one place that nobody may see. */
const clerk: ProvenAgent = {
  source: {
    name: 'clerk',
    tools: [pay, look],
    permissions: { rules: { ask: ['pay'], allow: ['pay(amount = 5)'], deny: ['look(place = "secrets")'] } },
  },
  kept: [
    'never(ran(look(place = "secrets")))',
    'until(not ran(pay(amount != 5)), waited(pay))',
    'until(not ran(pay(amount != 5)), approvedBy())',
    'respond(called(pay), ran(pay) or denied(pay) or refused(pay))',
    'never(crashed(look))',
    'never(refused(pay))',
    'until(not ran(), called())',
    'always(called(look(place = "secrets")) implies eventually(refused(look) or denied(look)))',
  ],
  broken: [
    'never(ran(pay))',
    'never(ran(pay) and not approvedBy())',
    'never(ran(pay(amount != 5)) and not approvedBy(anna))',
    'never(ran(pay(amount != 5)) and not approvedBy())',
    'eventually(ran(look))',
    'never(crashed(pay))',
    'always(denied(pay) implies never(ran(pay)))',
    'always(crashed(pay) implies never(ran(pay)))',
    'respond(called(pay), ran(pay))',
  ],
}

/** Policies of its own, over tools that may run in any order without them. */
const mailer: ProvenAgent = {
  source: {
    name: 'mailer',
    tools: [act('read_mail', 'none'), act('send_mail'), act('test', 'idempotent'), act('deploy')],
    permissions: {
      policies: policies([
        'always(ran(read_mail) implies never(ran(send_mail)))',
        'until(not ran(deploy), ran(test))',
        'always(crashed(deploy) implies until(not ran(deploy), approvedBy(anna)))',
      ]),
    },
  },
  kept: [
    'always(ran(read_mail) implies never(ran(send_mail)))',
    'until(not ran(deploy), ran(test))',
    'always(crashed(deploy) implies until(not ran(deploy), approvedBy(anna)))',
    'until(not ran(deploy), called(test))',
    'never(crashed(test))',
    'never(refused(test))',
  ],
  broken: [
    'always(ran(send_mail) implies never(ran(read_mail)))',
    'until(not ran(test), ran(deploy))',
    'always(crashed(send_mail) implies until(not ran(send_mail), approvedBy(anna)))',
    'never(refused(send_mail))',
    'never(called(deploy))',
    'always(ran(test) implies never(ran(read_mail)))',
  ],
}

const helper = createAgent({ name: 'helper', model: scripted(['Found.']) }).asTool({ description: 'Looks things up.' })
const write = tool({
  name: 'write',
  description: 'Writes.',
  input: nothing,
  needs: () => new Date().getDay() === 0,
  execute: () => 'Written.',
})

/** A sub-agent, a plugin, a function that asks, and a limit of costs. */
const boss: ProvenAgent = {
  source: {
    name: 'boss',
    tools: [helper, write],
    limits: { maxCost: 4 },
    plugins: [{ name: 'guard', gateCall: () => ({ block: 'Not today.' }) }],
    permissions: {
      policies: policies(['never(ran(write) and not approvedBy("*"))', 'never(spent(4) and ran(write))']),
    },
  },
  kept: [
    'never(ran(write) and not approvedBy("*"))',
    'never(ran(write) and not approvedBy())',
    'never(spent(4) and ran(write))',
    'never(crashed(helper))',
    'until(not ran(write), waited(write))',
    'until(not waited(write), called(write))',
  ],
  broken: [
    'never(refused(helper))',
    'never(waited(helper))',
    'never(spent(4))',
    'always(ran(helper) implies never(ran(write)))',
    'respond(called(write), ran(write) or denied(write))',
    'respond(called(helper), ran(helper) or denied(helper) or refused(helper))',
  ],
}

/** A sub-agent whose end nobody approves, and after which nothing is published. */
const editor: ProvenAgent = {
  source: {
    name: 'editor',
    tools: [helper, act('publish')],
    permissions: { policies: policies(['always(ran(helper) implies never(ran(publish)))']) },
  },
  kept: [
    'always(ran(helper) implies never(ran(publish)))',
    'never(ran(helper) and approvedBy("*"))',
    'never(refused(helper))',
    'never(crashed(helper))',
    'until(not waited(helper), ran(helper))',
  ],
  broken: [
    'never(waited(helper))',
    'always(ran(publish) implies never(ran(helper)))',
    'respond(ran(helper), waited(helper))',
    'always(waited(helper) implies never(denied(helper)))',
    'respond(waited(helper), denied(helper))',
  ],
}

/** Four agents with policies whose truth is known, two of them with a sub-agent. */
export const provenAgents: readonly ProvenAgent[] = [clerk, mailer, boss, editor]
