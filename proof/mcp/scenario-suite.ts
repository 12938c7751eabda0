import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SuiteCase } from '../conformance/run-suite.ts'

/** Scenarios that are not passed, each with the reason. They are played all the same: passing one is a failure too. */
export const notPassed: Readonly<Record<string, string>> = {
  'auth/2025-03-26-oauth-metadata-backcompat':
    'the scenario’s server names another issuer than it was asked for, which the client package refuses (RFC 8414, 3.3)',
}

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
const client = fileURLToPath(new URL('scenario-client.ts', import.meta.url))

/** The official scenarios for clients, each in processes of its own. */
export async function scenarioSuite(): Promise<readonly SuiteCase[]> {
  const { text } = await runProgram(['list', '--client'])
  const names = [...text.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name)
  if (names.length < 20) throw new Error(`Only ${names.length} client scenarios are listed.`)
  return names.map((name) => ({ name, run: () => play(name) }))
}

async function play(scenario: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-scenario-'))
  try {
    const command = `${process.execPath} ${client}`
    const { status, text } = await runProgram(
      ['client', '--command', command, '--scenario', scenario, '--timeout', patience],
      folder,
    )
    const isExpected = scenario in notPassed
    if (status === 0 && isExpected) throw new Error('It passes: take it off the list of those that are not passed.')
    if (status !== 0 && !isExpected) throw new Error(text.slice(text.lastIndexOf('Test Results')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds after which a client is taken to hang: far more than it needs on a busy machine. */
const patience = '200000'

/** What it printed, and how it ended. */
async function runProgram(args: readonly string[], cwd?: string): Promise<{ status: number; text: string }> {
  return await new Promise((resolve) => {
    const options = { encoding: 'utf8', maxBuffer: 10_000_000, ...(cwd === undefined ? {} : { cwd }) } as const
    const child = execFile(process.execPath, [program, ...args], options, (_, out, problems) => {
      resolve({ status: child.exitCode ?? 1, text: out + problems })
    })
  })
}
