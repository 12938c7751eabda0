import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fakeClock } from '../../../../proof/support/fake-clock.ts'
import { type Answer, loopbackServer } from '../../../../proof/support/loopback-server.ts'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'
import { type OpenApiOptions, openApiToolset } from '../../../../src/adapters/tools/openapi.ts'

const text = documentOf({ '/a': { get: { operationId: 'op', parameters: [{ name: 'q', in: 'query', schema: {} }] } } })

async function resultOf(answer: Answer, options: Partial<OpenApiOptions> = {}, input: object = {}) {
  await using server = await loopbackServer(answer)
  await using set = await opened(text, { baseUrl: server.origin, ...options })
  const [result, isError] = await set.call('op', input)
  return { text: result.replaceAll(server.origin, 'ORIGIN'), isError }
}

const reply =
  (status: number, body: string | Buffer, type = 'application/json'): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

describe('TOOL-05 results', () => {
  test('TOOL-05 results have METHOD URL → STATUS, a blank line and the body', async () => {
    expect(await resultOf(reply(200, '{"a":1}'), {}, { q: 'x y' })).toEqual({
      text: 'GET ORIGIN/a?q=x%20y → 200\n\n{"a":1}',
      isError: false,
    })
    expect((await resultOf(reply(204, ''))).text).toBe('GET ORIGIN/a → 204\n\n')
  })

  test.each([300, 304, 400, 401, 404, 409, 422, 429, 500, 503])(
    'TOOL-05 results of status %i are errors, with the same text',
    async (status) => {
      const body = status === 304 ? '' : 'no'
      expect(await resultOf(reply(status, body))).toEqual({
        text: `GET ORIGIN/a → ${status}\n\n${body}`,
        isError: true,
      })
    },
  )

  const cuts: readonly [string, string, number, string][] = [
    ['as long as may be', 'x'.repeat(65_536), 65_536, 'x'.repeat(65_536)],
    ['one byte longer', 'x'.repeat(65_537), 65_536, `${'x'.repeat(65_536)}\n... [truncated]`],
    ['cut inside of a character of two bytes', 'aü', 2, 'a\n... [truncated]'],
    ['cut inside of a character of three bytes', '✓✓', 4, '✓\n... [truncated]'],
    ['cut inside of a character of four bytes', 'a😀', 4, 'a\n... [truncated]'],
    ['cut after a character', 'ü✓', 2, 'ü\n... [truncated]'],
  ]
  test.each(cuts)('TOOL-05 cuts results of %s between characters', async (_, body, maxResultBytes, kept) => {
    expect((await resultOf(reply(200, body), { maxResultBytes })).text).toBe(`GET ORIGIN/a → 200\n\n${kept}`)
  })

  test('TOOL-05 cuts results at 64 KB unless configured otherwise', async () => {
    const { text: result } = await resultOf(reply(200, 'y'.repeat(1_000_000)))
    expect(result).toHaveLength('GET ORIGIN/a → 200\n\n'.length + 65_536 + '\n... [truncated]'.length)
  })

  test('TOOL-05 results contain no bytes of a body that is not a text', async () => {
    const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2])
    expect((await resultOf(reply(200, png, 'image/png'))).text).toBe(
      'GET ORIGIN/a → 200\n\n[7 bytes of image/png, left out]',
    )
    expect((await resultOf(reply(200, Buffer.from([0, 1]), 'x/y'))).text).toContain('[2 bytes of x/y, left out]')
    expect((await resultOf(reply(200, 'plain', 'x/y'))).text).toContain('\n\nplain')
  })

  test('TOOL-05 reports missing results as errors: a broken connection, a time-out, a refused address', async () => {
    expect(await resultOf((response) => void response.destroy())).toEqual({
      text: 'GET ORIGIN/a → no response: other side closed',
      isError: true,
    })
    const clock = fakeClock()
    expect(await resultOf(() => clock.advance(30_000), { clock })).toEqual({
      text: 'GET ORIGIN/a → no response: Timeout: no whole response within 30000 ms.',
      isError: true,
    })
    const served = documentOf(
      { '/a': { get: { operationId: 'op' } } },
      { servers: [{ url: 'http://169.254.169.254/' }] },
    )
    await using set = await opened(served)
    expect(await set.call('op')).toEqual([
      'GET http://169.254.169.254/a → no response: The host 169.254.169.254 is at a private address, which is refused. Only an address that the configuration names itself may be private.',
      true,
    ])
  })

  test('TOOL-05 results keep status and media type in the details', async () => {
    await using server = await loopbackServer(reply(201, '{}'))
    await using set = await opened(text, { baseUrl: server.origin })
    const { agentResult } = {
      agentResult: await set.tools[0]?.execute({} as never, { signal: new AbortController().signal } as never),
    }
    expect(agentResult).toMatchObject({ details: { status: 201, mediaType: 'application/json' } })
  })
})

describe('TOOL-05 secrets', () => {
  const secret = 'se/cr+et "1"'
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret).toString('base64'),
  ]
  const all: readonly [string, Partial<OpenApiOptions>][] = [
    ['a bearer token', { auth: { bearer: secret } }],
    ['a key', { auth: { header: 'X-Key', key: secret } }],
    ['a header of the name of a secret', { headers: { 'X-Auth-Token': secret } }],
    ['a header with a scheme', { headers: { Authorization: `Basic ${secret}` } }],
  ]

  test.each(all)('TOOL-05 shows %s as **** wherever a server repeats it, with any status', async (_, options) => {
    for (const status of [200, 403]) {
      const { text: result } = await resultOf(reply(status, forms.join(' ')), options, { q: secret })
      expect(result).toBe(`GET ORIGIN/a?q=**** → ${status}\n\n**** **** **** ****`)
    }
  })

  test.each(all)('TOOL-05 leaves no part of %s if the body is cut', async (_, options) => {
    for (let cut = 1; cut <= 20; cut++) {
      const { text: result } = await resultOf(reply(200, `${secret}${secret}`), { ...options, maxResultBytes: cut })
      expect(result.replace(/\*+/, '')).toMatch(/→ 200\n\n(\n\.\.\. \[truncated\])?$/)
    }
  })

  test.each(all)('TOOL-05 no output or file of the toolset contains %s', async (_, options) => {
    await using server = await loopbackServer()
    await using set = await opened(text, { baseUrl: server.origin, ...options })
    const shown = [
      inspect(set.toolset, { depth: 9, showHidden: true }),
      JSON.stringify(set.toolset),
      inspect(set.tools, { depth: 9 }),
    ]
    for (const one of shown) for (const form of forms) expect(one).not.toContain(form)
  })

  test.each(all)('TOOL-05 shows %s as **** if a media type repeats it', async (_, options) => {
    const type = `x/${encodeURIComponent(secret)}; a="${secret}"`
    await using server = await loopbackServer((response) => response.writeHead(200, { 'content-type': type }).end('\0'))
    await using set = await opened(text, { baseUrl: server.origin, ...options })
    const returned = await set.tools[0]?.execute({} as never, { signal: new AbortController().signal } as never)
    const shown = JSON.stringify(returned)
    for (const form of forms) expect(shown).not.toContain(form)
    expect(shown).toContain('****')
  })

  test.each(all)('TOOL-05 shows %s as **** if the document itself repeats it', async (_, options) => {
    const described = { operationId: 'op', description: secret, tags: [secret] }
    const body = { content: { 'application/json': { schema: { description: secret, $ref: `#/${secret}` } } } }
    const paths = { '/a': { post: { ...described, requestBody: body } }, [`/${secret}`]: { get: {} } }
    const rest = { servers: [{ url: 'https://x.example' }] }
    await using set = await opened(documentOf(paths, rest), options)
    const shown = inspect([set.tools[0]?.description, set.schema('op'), set.warnings], { depth: 9 })
    for (const form of forms.slice(0, 1)) expect(shown).not.toContain(form)
    const refusing = openApiToolset({ source: { text: documentOf(paths, { openapi: secret }) }, ...options })
    const refusal = await refusing.tools().catch((error: unknown) => inspect(error, { depth: 9 }))
    for (const form of forms) expect(refusal).not.toContain(form)
  })

  test('TOOL-05 may show headers of other names', async () => {
    expect((await resultOf(reply(200, 'en-GB'), { headers: { 'Accept-Language': 'en-GB' } })).text).toContain('en-GB')
  })
})
