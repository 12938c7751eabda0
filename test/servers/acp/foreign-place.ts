import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { type AgentOptions, createAgent } from '../../../src/index.ts'
import { acpAgent, type AcpAgentOptions } from '../../../src/servers/acp.ts'

export const script = new URL('../processes/foreign-agent.ts', import.meta.url).pathname

/** A folder with a store, in which a foreign agent works. */
export async function place() {
  const folder = await temporaryFolder()
  const path = join(folder, 'runs.db')
  const effects = () => {
    const file = join(folder, 'effects.txt')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const pid = () => Number(readFileSync(join(folder, 'pid.txt'), 'utf8'))
  /** A process of ours: the boss, with the foreign agent below it. */
  const open = (
    prompt: string,
    flags: readonly string[] = [],
    permissions: AgentOptions['permissions'] = {},
    own: AgentOptions['permissions'] = {},
    more: Partial<AcpAgentOptions> = {},
  ) => {
    const store = sqliteStore(path)
    const coder = acpAgent({
      name: 'coder',
      command: process.execPath,
      args: [script, folder, ...flags],
      cwd: folder,
      permissions: own,
      ...more,
    })
    const call = { toolCalls: [{ id: 'w', name: 'coder', arguments: { prompt } }] }
    const boss = createAgent({
      name: 'boss',
      model: scripted([call, 'The coder is done.']),
      tools: [coder.asTool({ description: 'Codes.' })],
      store,
      permissions,
    })
    let isClosed = false
    const close = async () => {
      if (isClosed) return
      isClosed = true
      await boss.close()
      await coder.close()
      await store.close()
    }
    onTestFinished(close)
    return { boss, coder, close }
  }
  return { folder, path, effects, pid, open }
}

/** Resolves when a process has ended. */
export async function untilGone(pid: number) {
  const isAlive = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(isAlive, { timeout: 60_000 }).toBe(false)
}
