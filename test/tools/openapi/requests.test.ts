import { describe, expect, test } from 'vitest'
import { loopbackServer } from '../../../proof/support/loopback-server.ts'
import { documentOf, opened } from '../../../proof/support/open-api.ts'

/** One GET operation with these parameters, called once; the address the server saw. */
async function asked(path: string, parameters: readonly object[], input: object): Promise<string> {
  await using server = await loopbackServer()
  const text = documentOf({ [path]: { get: { operationId: 'op', parameters } } })
  await using set = await opened(text, { baseUrl: server.origin })
  const [answer] = await set.call('op', input)
  return server.seen[0]?.url ?? answer
}

const array = ['blue', 'b/k', 'a b']
const object = { R: 100, G: 'x&y' }

describe('TOOL-05 parameters', () => {
  const paths: readonly [string, object, unknown, string][] = [
    ['/a/{p}', {}, 'x/y?z#ü ✓', '/a/x%2Fy%3Fz%23%C3%BC%20%E2%9C%93'],
    ['/a/{p}', {}, "-._~!'()*", '/a/-._~%21%27%28%29%2A'],
    ['/a/{p}', {}, 7, '/a/7'],
    ['/a/{p}', {}, '$&', '/a/%24%26'],
    ['/a/{p}/b/{p}', {}, 'x', '/a/x/b/x'],
    ['/a/{p}', {}, array, '/a/blue,b%2Fk,a%20b'],
    ['/a/{p}', {}, object, '/a/R,100,G,x%26y'],
    ['/a/{p}', { explode: true }, object, '/a/R=100,G=x%26y'],
    ['/a/{p}', { style: 'label' }, array, '/a/.blue,b%2Fk,a%20b'],
    ['/a/{p}', { style: 'label', explode: true }, array, '/a/.blue.b%2Fk.a%20b'],
    ['/a/{p}', { style: 'matrix' }, array, '/a/;p=blue,b%2Fk,a%20b'],
    ['/a/{p}', { style: 'matrix', explode: true }, array, '/a/;p=blue;p=b%2Fk;p=a%20b'],
    ['/a/{p}', { style: 'matrix', explode: true }, object, '/a/;R=100;G=x%26y'],
    ['/a/{p}', { style: 'matrix' }, 'x', '/a/;p=x'],
  ]
  test.each(paths)('of the path %s %j with %j', async (path, rules, value, url) => {
    expect(await asked(path, [{ name: 'p', in: 'path', schema: {}, ...rules }], { p: value })).toBe(url)
  })

  const queries: readonly [object, unknown, string][] = [
    [{}, 'a b&c=d', '/a?q=a%20b%26c%3Dd'],
    [{}, false, '/a?q=false'],
    [{}, 0, '/a?q=0'],
    [{}, '', '/a?q='],
    [{}, null, '/a'],
    [{}, array, '/a?q=blue&q=b%2Fk&q=a%20b'],
    [{}, [], '/a'],
    [{}, object, '/a?R=100&G=x%26y'],
    [{ explode: false }, array, '/a?q=blue,b%2Fk,a%20b'],
    [{ explode: false }, object, '/a?q=R,100,G,x%26y'],
    [{ style: 'spaceDelimited' }, array, '/a?q=blue%20b%2Fk%20a%20b'],
    [{ style: 'pipeDelimited' }, array, '/a?q=blue%7Cb%2Fk%7Ca%20b'],
    [{ style: 'deepObject' }, { a: { b: [1, 2] }, c: 'd' }, '/a?q[a][b]=1&q[a][b]=2&q[c]=d'],
    [{ allowReserved: true }, 'a/b?c,d&e#f', '/a?q=a/b?c,d%26e%23f'],
    [{ schema: undefined, content: { 'application/json': { schema: {} } } }, { a: 1 }, '/a?q=%7B%22a%22%3A1%7D'],
  ]
  test.each(queries)('of a query %j with %j', async (rules, value, url) => {
    expect(await asked('/a', [{ name: 'q', in: 'query', schema: {}, ...rules }], { q: value })).toBe(url)
  })

  test.each(['.', '..', '%2e', '%2E.'])('refuses %s in a path, sending nothing', async (value) => {
    const text = await asked('/a/{p}/b', [{ name: 'p', in: 'path', schema: {} }], { p: value })
    expect(text).toBe(
      value.startsWith('.')
        ? 'GET /a/{p}/b was not sent: A path argument is "." or "..", which is refused.'
        : `/a/${value.replace('%', '%25')}/b`,
    )
  })

  test('refuses a path argument that is missing, empty, or not known', async () => {
    const path = { name: 'p', in: 'path', schema: {} }
    expect(await asked('/a/{p}', [path], {})).toBe('GET /a/{p} was not sent: The argument "p" is missing.')
    expect(await asked('/a/{p}', [path], { p: '' })).toBe(
      'GET /a/{p} was not sent: The argument "p" is empty, and stands in the path.',
    )
    expect(await asked('/a/{x}', [path], { p: 'v' })).toBe(
      'GET /a/{x} was not sent: Nothing is known of {x} in the path of this operation.',
    )
  })

  test('of headers go as headers; cookies and the headers a request has anyway are passed over', async () => {
    await using server = await loopbackServer()
    const parameters = [
      ...['X-One', 'Accept', 'Content-Type', 'Authorization', 'X-Own'].map((name) => ({
        name,
        in: 'header',
        schema: {},
      })),
      { name: 'session', in: 'cookie', schema: {} },
    ]
    const text = documentOf({ '/a': { get: { operationId: 'op', parameters } } })
    await using set = await opened(text, { baseUrl: server.origin, headers: { 'x-own': 'ours' } })
    expect(Object.keys(Object(set.schema('op')['properties']))).toEqual(['X-One'])
    await set.call('op', { 'X-One': [1, 2] })
    expect(server.seen[0]?.headers).toMatchObject({ 'x-one': '1,2', 'x-own': 'ours' })
    expect(await set.call('op', { 'X-One': 'a\r\nx-evil: 1' })).toEqual([
      'GET /a was not sent: The argument "X-One" cannot be sent as a header.',
      true,
    ])
    expect(server.seen).toHaveLength(1)
  })

  test('of an operation win over those of its path, and equal names in other places keep apart', async () => {
    await using server = await loopbackServer()
    const at = (place: string, type: string) => ({ name: 'id', in: place, required: true, schema: { type } })
    const text = documentOf({
      '/a/{id}': {
        parameters: [at('path', 'string'), at('query', 'string')],
        post: {
          operationId: 'op',
          parameters: [
            at('path', 'integer'),
            at('header', 'string'),
            { name: 'body', in: 'query', schema: {} },
            { name: 'f[x]', in: 'query', schema: {} },
          ],
          requestBody: { required: true, content: { 'application/json': { schema: { type: 'array' } } } },
        },
      },
    })
    await using set = await opened(text, { baseUrl: server.origin })
    expect(set.schema('op')).toEqual({
      type: 'object',
      properties: {
        id: { type: 'integer' },
        query_id: { type: 'string', description: '("id")' },
        body: {},
        f_x_: { description: '("f[x]")' },
        header_id: { type: 'string', description: '("id")' },
        _request_body: { type: 'array' },
      },
      required: ['id', 'query_id', 'header_id', '_request_body'],
      additionalProperties: false,
    })
    await set.call('op', { id: 1, query_id: 'q', header_id: 'h', body: 'b', f_x_: 'f', _request_body: [1] })
    expect(server.seen[0]).toMatchObject({ url: '/a/1?id=q&body=b&f%5Bx%5D=f', body: '[1]' })
    expect(server.seen[0]?.headers['id']).toBe('h')
  })
})

describe('TOOL-05 bodies', () => {
  const operation = (content: object, required = true) =>
    documentOf(
      { '/a': { post: { operationId: 'op', requestBody: { required, content } } } },
      { servers: [{ url: 'http://x.example' }] },
    )

  test.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json', '*/*'])(
    'of %s are sent as JSON',
    async (type) => {
      await using server = await loopbackServer()
      await using set = await opened(operation({ 'text/plain': {}, [type]: { schema: { type: 'object' } } }), {
        baseUrl: server.origin,
      })
      await set.call('op', { body: { a: 'ü' } })
      expect(server.seen[0]).toMatchObject({ method: 'POST', body: '{"a":"ü"}' })
      expect(server.seen[0]?.headers['content-type']).toBe(type === '*/*' ? 'application/json' : type)
    },
  )

  test('that are no JSON leave their operation out where they are required', async () => {
    await using set = await opened(operation({ 'multipart/form-data': {} }))
    expect(set.tools).toEqual([])
    expect(set.warnings).toEqual([
      'Toolset "openapi": Operation "op" is left out: its body is required and no JSON, but multipart/form-data.',
    ])
    await using other = await opened(operation({ 'multipart/form-data': {} }, false))
    expect(other.schema('op')['properties']).toEqual({})
  })

  test('that are null or false are bodies', async () => {
    await using server = await loopbackServer()
    await using set = await opened(operation({ 'application/json': { schema: {} } }, false), { baseUrl: server.origin })
    for (const body of [null, false, 0, '']) await set.call('op', { body })
    await set.call('op')
    expect(server.seen.map(({ body }) => body)).toEqual(['null', 'false', '0', '""', ''])
  })
})

describe('TOOL-05 credentials', () => {
  const text = documentOf({ '/a': { get: { operationId: 'op' } } })

  test("go with each call: none, a bearer token, a key in a header, headers of one's own", async () => {
    await using server = await loopbackServer()
    const ask = async (options: object) => {
      await using set = await opened(text, { baseUrl: `${server.origin}/`, ...options })
      await set.call('op')
      const { authorization, 'x-key': key, 'x-own': own } = server.seen.at(-1)?.headers ?? {}
      return { authorization, key, own }
    }
    expect(await ask({})).toEqual({})
    expect(await ask({ auth: 'none', headers: { 'X-Own': 'a' } })).toEqual({ own: 'a' })
    expect(await ask({ auth: { bearer: 'abcdef' } })).toEqual({ authorization: 'Bearer abcdef' })
    expect(await ask({ auth: { header: 'X-Key', key: 'abcdef' } })).toEqual({ key: 'abcdef' })
  })
})
