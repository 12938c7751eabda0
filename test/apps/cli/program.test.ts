import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { agentModule } from './agent-modules.ts'
import { call, lastLine, runIdIn } from './command.ts'

const program = fileURLToPath(new URL('../../../bin/statewright.js', import.meta.url))

let cwd: string

beforeEach(async () => {
  cwd = await temporaryFolder()
  await writeFile(join(cwd, 'README.md'), '# A project\n')
})

interface Ended {
  readonly code: unknown
  readonly out: string
  readonly err: string
}

/** Starts the program in a process of its own, with no key in its environment but the ones given. */
function start(argv: readonly string[], keys: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', ...keys }
  return spawn(process.execPath, [program, ...argv], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function ended(child: ReturnType<typeof start>): Promise<Ended> {
  let out = ''
  let err = ''
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (err += piece.toString()))
  const [code] = await once(child, 'close')
  return { code, out, err }
}

/** The base URL of a model that takes a request and never answers, and the first request. */
async function silentModel() {
  const server = createServer()
  const asked = once(server, 'request')
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}/v1`, asked }
}

test('CLI-01 runs, waits and is approved from another process', async () => {
  const started = await ended(start(['run', 'Look around', '--model', 'scripted']))
  expect(started).toMatchObject({ code: 3, err: '' })
  const command = /approve: statewright (.*)$/m.exec(started.out)?.[1] ?? ''
  const approved = await ended(start(command.split(' ')))
  expect(approved).toMatchObject({ code: 0, err: '' })
  expect(await readFile(join(cwd, 'statewright-demo.md'), 'utf8')).toContain('> # A project')
})

test('CLI-01 reports what is missing in one line without a stack, and with a stack under --debug if it helps', async () => {
  const missing = await ended(start(['run', 'Look around']))
  expect(missing.code).toBe(2)
  expect(missing.err.split('\n')).toHaveLength(2)
  expect(missing.err).toContain('ANTHROPIC_API_KEY')
  const debugged = await ended(start(['run', 'Look around', '--debug']))
  expect(debugged.err).toMatch(/^ {4}at /m)
})

test('CLI-01 never exits with 0 when nothing remains that could end the command', async () => {
  const endless = `import { registerHooks } from 'node:module'
    const url = 'data:text/javascript,await new Promise(() => {})'
    registerHooks({ resolve: (name, context, next) =>
      name === 'openai' ? { url, shortCircuit: true } : next(name, context) })`
  const keys = { OPENAI_API_KEY: 'x', NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(endless)}` }
  expect(await ended(start(['run', 'Look around', '--model', 'openai/m'], keys))).toEqual({
    code: 4,
    out: '',
    err: 'statewright: The command waited for something that cannot happen any more, and was ended.\n',
  })
})

test.each([
  ['worker', 'that never settles'],
  ['worker', 'whose function never settles'],
  ['run', 'that never settles'],
  ['run', 'whose function never settles'],
] as const)('CLI-01 %s exits with 2 and a sentence for a module %s', async (command, which) => {
  const name = await agentModule(cwd, which)
  const prompt = command === 'run' ? ['Look around'] : []
  expect(await ended(start([command, ...prompt, '--agents', name, '--store', 'runs.db']))).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(
      new RegExp(`^statewright: The module "${name}" never finishes loading: .*\\n {2}Look for an await .*\\n$`),
    ),
  })
})

/** Keeps a package from being found, as where it was never installed. */
const without = (name: string) => {
  const script = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier === '${name}') throw new Error('not installed')
      return next(specifier, context)
    } })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` }
}

test.each([
  ['anthropic', '@anthropic-ai/sdk'],
  ['openai', 'openai'],
])('PRV-02 CLI-01 neither starts nor drives a run if the package of %s is not installed', async (provider, name) => {
  const env = { ANTHROPIC_API_KEY: 'key', OPENAI_API_KEY: 'key', ...without(name) }
  const started = await ended(start(['run', 'Look around', '--model', provider], env))
  expect(started).toMatchObject({ code: 2, out: '' })
  expect(started.err).toContain(`npm install ${name}`)
  expect(await readdir(cwd)).toEqual(['README.md'])
  const run = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd }))
  expect(await ended(start(['approve', run, '1.scripted-0-0', '--model', provider], env))).toMatchObject({
    code: 2,
    out: '',
  })
  expect((await call(['show', run], { cwd })).out).toContain('needs approval')
})

test('CLI-01 leaves the run stored at SIGINT, for another process to drive', async () => {
  const { url, asked } = await silentModel()
  const child = start(['run', 'Look around'], { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url })
  const stopped = ended(child)
  await asked
  child.kill('SIGINT')
  const { code, out, err } = await stopped
  expect({ code, err }).toEqual({ code: 130, err: '' })
  const command = /continue it: statewright (resume \S+)$/m.exec(out)?.[1] ?? ''
  const resumed = await ended(start([...command.split(' '), '--model', 'scripted']))
  expect(resumed).toMatchObject({ code: 3, err: '' })
})

test('CLI-01 AGT-02 resume continues a prompt whose process was killed, and asks once', async () => {
  const { url, asked } = await silentModel()
  const before = runIdIn(await call(['run', 'Look around', '--model', 'scripted'], { cwd, answers: ['y'] }))
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url }
  const child = start(['prompt', before, 'And now?', '--model', 'openai/gpt-of-mine'], env)
  const killed = ended(child)
  await asked
  child.kill('SIGKILL')
  const { out } = await killed
  const run = runIdIn({ code: 0, out, err: '' })
  expect((await call(['runs'], { cwd })).out).toMatch(
    new RegExp(`^${run} {2}stopped .* \\(after ${before}\\) And now\\?\n`),
  )
  const refused = await ended(start(['prompt', 'last', 'Are you there?'], env))
  expect(refused.code).toBe(4)
  const command = /Continue it: statewright (resume \S+)$/m.exec(refused.err)?.[1] ?? ''
  expect(command).toBe(`resume ${run}`)
  const resumed = await ended(start([...command.split(' '), '--model', 'scripted']))
  expect(resumed).toMatchObject({ code: 3, err: '' })
  expect(resumed.out).toContain('→ list_files')
  const { transcript } = lastLine(await call(['show', run, '--json'], { cwd }))
  const said = (transcript as { role: string; content: unknown }[]).filter(({ role }) => role === 'user')
  expect(said.map(({ content }) => content)).toEqual(
    ['Look around', 'And now?'].map((text) => [{ type: 'text', text }]),
  )
  expect(lastLine(await call(['runs', '--json'], { cwd }))).toMatchObject({ total: 2 })
})

test('CLI-01 ends quietly, with the run stored, when its output is no longer read', async () => {
  const run = start(['run', 'Look around', '--model', 'scripted'])
  run.stdout.destroy()
  expect(await ended(run)).toEqual({ code: 130, out: '', err: '' })
  const list = start(['runs'])
  list.stdout.destroy()
  expect(await ended(list)).toEqual({ code: 0, out: '', err: '' })
})
