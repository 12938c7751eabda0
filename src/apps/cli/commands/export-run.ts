import { type Message, textOf } from '../../../index.ts'
import { toolCallsOf } from '../../../ports.ts'
import { exitCodes, knownWord } from '../terminal/cli-error.ts'
import { readReport, type CommandResult, type RunReport } from '../runs/run-report.ts'
import { oneLine, plainText, safeJson } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'

/** `export <id>`: all stored data of a run as JSON, or its full transcript as Markdown. */
export async function exportRun(session: Session, runId: string): Promise<CommandResult> {
  const { store, options, io } = session
  const format = knownWord('format', options.format ?? 'json', ['json', 'markdown'])
  const report = await readReport(session, runId)
  const { messages, decisions } = await session.standingOf(runId)
  const checkpoints = (await store.checkpoints(runId)).map(({ version, names, at }) => ({ version, names, at }))
  const whole = { ...report, checkpoints, decisions, transcript: messages }
  const markdown = format === 'markdown' ? { markdown: asMarkdown(report, messages) } : {}
  if (!options.json) io.stdout.write(`${markdown.markdown ?? safeJson(whole)}\n`)
  return { exitCode: exitCodes.success, report: { ...whole, format, ...markdown } }
}

function asMarkdown({ run, usage, cost }: RunReport, messages: readonly Message[]): string {
  const ended = run.reason === undefined ? run.status : `${run.status} (${run.reason})`
  return [
    `# Run ${oneLine(run.id)}`,
    '',
    `- agent: ${oneLine(run.agent)}`,
    `- status: ${ended}`,
    `- started: ${new Date(run.createdAt).toISOString()}`,
    `- tokens: ${usage.totalTokens}`,
    `- cost: $${cost}`,
    ...messages.flatMap((message) => ['', ...asSection(message)]),
  ].join('\n')
}

function asSection(message: Message): readonly string[] {
  switch (message.role) {
    case 'user':
      return ['## User', '', plainText(textOf(message))]
    case 'assistant':
      return [
        `## Assistant (${oneLine(message.provider)}/${oneLine(message.model)})`,
        '',
        plainText(textOf(message)),
        ...toolCallsOf(message).flatMap(({ name, arguments: given }) => [
          '',
          `Calls \`${oneLine(name)}\`:`,
          '',
          ...fenced(JSON.stringify(given, null, 2), 'json'),
        ]),
      ]
    case 'toolResult':
      return [
        `## Result of \`${oneLine(message.toolName)}\` (${message.status})`,
        '',
        ...fenced(plainText(textOf(message)), ''),
      ]
    case 'extension':
      return [`## Extension ${oneLine(message.kind)}`, '', ...fenced(JSON.stringify(message.data, null, 2), 'json')]
  }
}

/** Returns a text in a fence that is longer than any run of backticks in the text. */
function fenced(text: string, language: string): readonly string[] {
  let longest = 2
  for (const [ticks] of text.matchAll(/`+/g)) longest = Math.max(longest, ticks.length)
  const fence = '`'.repeat(longest + 1)
  return [`${fence}${language}`, plainText(text), fence]
}
