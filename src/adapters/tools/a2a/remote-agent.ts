import { loadPackage } from '../../../core/domain/load-package.ts'
import { redactorOf } from '../../../core/domain/text/redactor.ts'
import { toolNameOf } from '../../../core/domain/tool-name.ts'
import type { Tool, ToolContext } from '../../../core/ports/tool.ts'
import type { Toolset } from '../../../core/ports/toolset.ts'
import { foreignText } from '../foreign-text.ts'
import { headerSecrets } from '../header-secrets.ts'
import { redactedTool } from '../redacted-tool.ts'
import type { AgentLink } from './agent-link.ts'
import { checkedAddress, type RemoteAgentOptions } from './options.ts'

/**
 * Returns a toolset with one tool, which gives a task to a remote agent over A2A 1.0. A question of that agent suspends
 * the call. After a crash the call finds its task by its own message id, so no task starts twice. Only the given
 * address is contacted. Throws a `UsageError` `bad_option` for an invalid address or option. Without `@a2a-js/sdk`, the
 * toolset is unavailable with `package_missing`.
 *
 * @example
 * const agent = createAgent({ name: 'boss', model, tools: [remoteAgent('https://mail.example/a2a', { needs: 'approval' })] })
 */
export function remoteAgent(url: string | URL, options: RemoteAgentOptions = {}): Toolset {
  const address = checkedAddress(url, options)
  const { headers = {}, needs } = options
  const secrets = Object.entries(headers).flatMap(([name, value]) =>
    headerSecrets(value).map((secret) => ({ name, value: secret })),
  )
  const closing = new AbortController()
  const load = () => loadPackage('@a2a-js/sdk', () => import('./remote-task.ts'))
  let opened: Promise<AgentLink> | undefined
  const open = async () => {
    closing.signal.throwIfAborted()
    opened ??= load().then(({ openLink }) => openLink(address, options, closing.signal))
    return await opened.catch((error: unknown) => {
      opened = undefined
      throw error
    })
  }
  const execute = async (given: { readonly prompt: string }, context: ToolContext) =>
    (await load()).workRemotely(await open(), given, context)
  return {
    name: `remote agent (${address.origin})`,
    ...(options.optional === undefined ? {} : { optional: options.optional }),
    tools: async () => {
      const { name, description } = options
      const card = name === undefined || description === undefined ? (await open()).card : undefined
      const tool: Tool = {
        name: name ?? toolNameOf(card?.name ?? ''),
        description: description ?? foreignText(card?.description ?? '', 2_000),
        kind: 'service',
        input: inputSchema,
        // A call that runs again finds its task, so a crash interrupts nothing.
        effects: 'idempotent',
        timeoutMs: Infinity,
        ...(needs === undefined ? {} : { needs }),
        execute,
      }
      return [redactedTool(tool, redactorOf(secrets))]
    },
    close: async () => closing.abort(new Error('The toolset of the remote agent was closed.')),
  }
}

const inputSchema = {
  type: 'object',
  properties: { prompt: { type: 'string', description: 'The task, with everything that is needed for it.' } },
  required: ['prompt'],
}
