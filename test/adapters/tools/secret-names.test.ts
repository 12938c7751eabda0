import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { secretsIn } from '../../../src/adapters/tools/secrets.ts'
import { shellTool, unconfined } from '../../../src/adapters/tools/shell.ts'
import { callTool, textOf } from './call-tool.ts'
import { namedSecrets as named } from './named-secrets.ts'

const others = [
  ...['PATH', 'PWD', 'OLDPWD', 'KEYBOARD', 'TOKENIZER', 'MONKEY', 'SSH_AUTH_SOCK', 'SSH_ASKPASS', 'GIT_ASKPASS'],
  ...['PASSENGER', 'COMPASS', 'XDG_SESSION_ID', 'XAUTHORITY', 'PATTERN', 'AUTHOR', 'HOSTNAME', 'LANG', 'EDITOR'],
]
const valueOf = (name: string) => `value/of ${name}`

test('TOOL-03 recognises secret variables by their names, except values too short to be a secret', () => {
  const environment = Object.fromEntries([...named, ...others].map((name) => [name, valueOf(name)]))
  const found = secretsIn({ ...environment, SHORT_KEY: '1234567', ABSENT_KEY: undefined })
  expect(named.length).toBeGreaterThanOrEqual(60)
  expect([...new Set(found.map(({ name }) => name))]).toEqual(named)
  expect(found.filter(({ name }) => name === 'key')).toEqual([{ name: 'key', value: 'value/of key' }])
})

test.each<[string, string, readonly string[]]>([
  ['DATABASE_URL', 'postgres://app:a%2Fb%20secret@db/app', ['a%2Fb%20secret', 'a/b secret']],
  ['REDIS', 'redis://:hunter2hunter2@cache:6379', ['hunter2hunter2']],
  ['http_proxy', 'http://me:proxy-pass-word@proxy:3128', ['proxy-pass-word']],
  ['CARGO_INDEX', 'https://ghp_0123456789abcdefghij@github.com/a/b', ['ghp_0123456789abcdefghij']],
  ['DB', 'host=db user=app password=correct-horse', ['correct-horse']],
  ['SQL', 'Server=db;User Id=sa;Pwd=correct-horse;', ['correct-horse']],
  ['BLOB', 'AccountName=a;AccountKey=Zm9vYmFyYmF6cXV4==;', ['Zm9vYmFyYmF6cXV4==']],
  ['JDBC', 'jdbc:mysql://db/app?user=app&sslpassword=correct-horse', ['correct-horse']],
  ['PEM_KEY', 'BEGIN KEY\n  MIIEvQIBADANBgkqhkiG9w0\n  AAAA\n', ['MIIEvQIBADANBgkqhkiG9w0']],
])('TOOL-03 treats a password in the value of %s as a secret, and the value with it', (name, value, passwords) => {
  const values = secretsIn({ [name]: value }).map((secret) => secret.value)
  expect(values).toEqual(expect.arrayContaining([value, ...passwords]))
})

test.each(['postgres:///app', 'http://localhost:8080/a@b', 'git@github.com:a/b', 'https://user@host/x', 'a=b;c=d'])(
  'TOOL-03 does not treat %s as a secret',
  (value) => expect(secretsIn({ URL: value })).toEqual([]),
)

let root: string

beforeEach(async () => {
  root = join(await temporaryFolder(), 'root')
  await mkdir(root)
})

describe('through every door', () => {
  const environment = Object.fromEntries(named.map((name) => [name, `${name}-0123456789`]))
  const values = Object.values(environment)

  test('TOOL-03 no secret reaches the model, the store or an event, by a result, an error, an update or a preview', async () => {
    const text = `${values.slice(0, 3).join('\n')}\nhead\n${values.join('\n')}\n`
    await writeFile(join(root, 'a'), text)
    await mkdir(join(root, `${values[0]}`))
    await writeFile(join(root, `${values[1]}`), 'x')
    const asking = defaultTools({
      root,
      sandbox: unconfined(),
      run: 'allow',
      environment: { ...process.env, ...environment },
    })
    const answers = calls(
      call('c1', 'shell', { command: 'cat a; cat a >&2; ls; echo "$0"; exit 1' }),
      call('c2', 'read_file', { path: 'a' }),
      call('c3', 'search_files', { query: '0123456789' }),
      call('c4', 'list_files', {}),
      call('c5', 'edit_file', { path: 'a', edits: [{ oldText: 'head\n', newText: 'x\n' }] }),
      call('c6', 'write_file', { path: 'b', content: 'x' }),
      call('c7', 'read_file', { path: 'no-such-file' }),
      call('c8', 'list_files', { path: 'a/b' }),
    )
    const { agent, store } = testAgent({ replies: [answers, 'Bye'], tools: asking })
    const run = agent.start('Hi')
    const told: unknown[] = []
    run.on((event) => void told.push(event))
    await run.settled()
    await run.approve('1.c5')
    await run.approve('1.c6')
    await run.settled()
    const rows = await store.calls(run.id)
    const shown = [...rows.map(({ record }) => [record.result, record.suspension]), ...told.map(withoutArguments)]
    expect(values.filter((value) => JSON.stringify(shown).includes(value))).toEqual([])
    expect(JSON.stringify(shown)).toContain('[secret PGPASSWORD]')
    expect(rows).toHaveLength(8)
  })

  /** The arguments that the model wrote are not masked. */
  function withoutArguments(event: unknown): unknown {
    return JSON.parse(JSON.stringify(event, (key, value: unknown) => (key === 'arguments' ? undefined : value)))
  }
})

describe('in odd shapes', () => {
  const secret = 'p@ss/w0rd "ü" 12345'
  const base64 = Buffer.from(secret).toString('base64')
  const shapes: readonly (readonly [what: string, text: string, hidden: string])[] = [
    ['as it is', secret, secret],
    ['in quotes of JSON', JSON.stringify({ a: secret }), JSON.stringify(secret).slice(1, -1)],
    ['encoded for an address', `?q=${encodeURIComponent(secret)}&b`, encodeURIComponent(secret)],
    ['in base64', base64, base64.slice(0, 24)],
    ['in base64 with a line feed in it', Buffer.from(`${secret}\n`).toString('base64'), base64.slice(0, 24)],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url'), base64.slice(0, 20)],
    ['twice', `${secret}${secret}`, secret],
    ['in an assignment', `export X='${secret}'`, secret],
    ['in a header', `authorization: Bearer ${secret}`, secret],
    ['behind colours', `\u001b[31m${secret}\u001b[0m`, secret],
    ['in a postgres address', 'postgres://app:hunter2@db/app', 'hunter2'],
    ['in an address without a user', 'redis://:hunter2@cache:6379', 'hunter2'],
    ['in an address of a page', 'fatal: https://me:hunter2@example.com/x.git not found', 'hunter2'],
    ['in an address with two schemes', 'git+https://me:hunter2@example.com', 'hunter2'],
    ['in an address with many hosts', 'mongodb+srv://me:hunter2@a.b,c.d/x', 'hunter2'],
    ['in an address with an at sign in it', 'amqp://me:hunt@er2@mq', 'hunt@er2'],
    ['in an address with parameters', 'mysql://me:hunter2@db/x?y=z', 'hunter2'],
    ['in an encoded address', 'ftp://me:hun%74er2@host', 'hun%74er2'],
    ['in an address in quotes', '{"url":"smtp://me:hunter2@mail"}', 'hunter2'],
    ['as a token in an address', 'https://ghp_0123456789abcdefghij@github.com', 'ghp_0123456789abcdefghij'],
    ['in two addresses', 'http://a:hunter2@b http://a:hunter2@b', 'hunter2'],
  ]

  test.each(shapes)('TOOL-03 masks a secret in the output of a command, %s', async (_what, text, hidden) => {
    await writeFile(join(root, 'text'), text)
    const told: unknown[] = []
    const shell = shellTool({ root, sandbox: unconfined(), environment: { ...process.env, ODD_SECRET: secret } })
    const half = Math.floor(text.length / 2)
    const command = `head -c ${half} text; sleep 0.05; tail -c +${half + 1} text; cat text >&2`
    const result = await callTool([shell], 'shell', { command }, { update: (part) => void told.push(part) })
    expect(textOf(result)).not.toContain(hidden)
    expect(textOf(result)).toContain('[secret')
    expect(JSON.stringify(told)).not.toContain(JSON.stringify(hidden).slice(1, -1))
  })

  test('TOOL-03 does not change addresses without a password, in pieces too', async () => {
    const text = 'see https://example.com:8080/@a/b?c=d@e, git@github.com:a/b, ssh://me@host and a: b://\n'
    const shell = shellTool({ root, sandbox: unconfined() })
    expect(textOf(await callTool([shell], 'shell', { command: `printf '%s\\n' '${text.trim()}'` }))).toBe(text)
  })

  test('TOOL-03 masks a secret in the reason why a command was not run', async () => {
    const sandbox = { ...unconfined(), check: async () => `cannot reach http://me:hunter2@host with ${secret}` }
    const shell = shellTool({ root, sandbox, environment: { ODD_SECRET: secret } })
    expect(textOf(await callTool([shell], 'shell', { command: 'true' }))).toBe(
      'cannot reach http://me:[secret]@host with [secret ODD_SECRET]',
    )
  })
})
