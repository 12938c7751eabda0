import { describe, expect, test } from 'vitest'
import { loopbackServer } from '../../../../proof/support/loopback-server.ts'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'

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
  test.each(paths)('TOOL-05 fills in the path %s %j with %j', async (path, rules, value, url) => {
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
  test.each(queries)('TOOL-05 fills in a query %j with %j', async (rules, value, url) => {
    expect(await asked('/a', [{ name: 'q', in: 'query', schema: {}, ...rules }], { q: value })).toBe(url)
  })

  test.each(['.', '..', '%2e', '%2E.'])('TOOL-05 refuses %s in a path, and sends nothing', async (value) => {
    const text = await asked('/a/{p}/b', [{ name: 'p', in: 'path', schema: {} }], { p: value })
    expect(text).toBe(
      value.startsWith('.')
        ? 'GET /a/{p}/b was not sent: A part of the path is "." or "..", which is refused.'
        : `/a/${value.replace('%', '%25')}/b`,
    )
  })

  test.each(['/..\\..\\admin', '\\..\\admin', '/a/.\t./.\n./admin', '/a\\%2E%2e\\b', '/a/..?x', '/a/..#x'])(
    'TOOL-05 refuses the path %j of a document, and sends nothing',
    async (path) => {
      await using server = await loopbackServer()
      const text = documentOf({ [`/a${path}`]: { get: { operationId: 'op' } } })
      await using set = await opened(text, { baseUrl: `${server.origin}/base` })
      expect(await set.call('op')).toEqual([
        expect.stringMatching(/was not sent: A part of the path is "\." or "\.\.", which is refused\.$/),
        true,
      ])
      expect(server.seen).toEqual([])
    },
  )

  test('TOOL-05 keeps a path with backslashes, and one that begins with two slashes, within the base', async () => {
    expect(await asked('/a\\b', [], {})).toBe('/a/b')
    expect(await asked('//evil.example/x', [], {})).toBe('//evil.example/x')
  })

  test('TOOL-05 refuses a path argument that is missing, empty, or unknown', async () => {
    const path = { name: 'p', in: 'path', schema: {} }
    expect(await asked('/a/{p}', [path], {})).toBe('GET /a/{p} was not sent: The argument "p" is missing.')
    expect(await asked('/a/{p}', [path], { p: '' })).toBe(
      'GET /a/{p} was not sent: The argument "p" is empty, and is part of the path.',
    )
    expect(await asked('/a/{x}', [path], { p: 'v' })).toBe(
      'GET /a/{x} was not sent: Nothing is known of {x} in the path of this operation.',
    )
  })

  test('TOOL-05 sends header parameters, and ignores cookies and standard headers', async () => {
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

  test("TOOL-05 an operation's parameters win over its path's, and equal names in different places stay apart", async () => {
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
    'TOOL-05 sends bodies of %s as JSON',
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

  test('TOOL-05 leaves an operation out if its required body cannot be sent, and otherwise reports it', async () => {
    const content = { 'multipart/form-data': {}, 'text/plain': {} }
    await using set = await opened(operation(content))
    expect(set.tools).toEqual([])
    const found = 'neither JSON nor a form, but multipart/form-data, text/plain.'
    expect(set.warnings).toEqual([
      `Toolset "openapi": Operation "op" is left out: its body is required and is ${found}`,
    ])
    await using other = await opened(operation(content, false))
    expect(other.schema('op')['properties']).toEqual({})
    expect(other.warnings).toEqual([
      `Toolset "openapi": Operation "op" is called without its body: its body is ${found}`,
    ])
  })

  const form = async (body: unknown, encoding?: object, type = 'application/x-www-form-urlencoded') => {
    await using server = await loopbackServer()
    const content = { 'text/plain': {}, [type]: { schema: { type: 'object' }, encoding } }
    await using set = await opened(operation(content), { baseUrl: server.origin })
    const [answer] = await set.call('op', { body })
    const [seen] = server.seen
    return seen === undefined ? answer : [seen.headers['content-type'], seen.body]
  }
  const styled = (style: string, rules: object = {}) => ({ f: { style, ...rules } })
  const forms: readonly [string, unknown, object | undefined, string][] = [
    [
      'texts, numbers and flags',
      { a: 'x y&z=ü', n: 0, no: false, empty: '' },
      undefined,
      'a=x%20y%26z%3D%C3%BC&n=0&no=false&empty=',
    ],
    ['nothing', {}, undefined, ''],
    ['null', { a: null, b: 1 }, undefined, 'b=1'],
    ['odd names', { 'a[b]': 'x', 'c d': 'y' }, undefined, 'a%5Bb%5D=x&c%20d=y'],
    ['a list', { f: ['a', 'b,c'] }, undefined, 'f=a&f=b%2Cc'],
    ['an object', { f: { a: 1 } }, undefined, 'f=%7B%22a%22%3A1%7D'],
    ['a list as JSON', { f: [1, 'a'] }, { f: { contentType: 'application/json' } }, 'f=%5B1%2C%22a%22%5D'],
    ['a list of style form', { f: ['a', 'b'] }, styled('form'), 'f=a&f=b'],
    ['a list of style form in one', { f: ['a', 'b'] }, styled('form', { explode: false }), 'f=a,b'],
    ['an object of style form', { f: { R: 1, G: 'x&y' } }, styled('form'), 'R=1&G=x%26y'],
    ['an object of style form in one', { f: { R: 1, G: 2 } }, styled('form', { explode: false }), 'f=R,1,G,2'],
    ['reserved characters', { f: 'a/b?c&d' }, { f: { allowReserved: true } }, 'f=a/b?c%26d'],
    ['a deep object', { f: { a: { b: 'x y' }, 'c d': 1 } }, styled('deepObject'), 'f[a][b]=x%20y&f[c%20d]=1'],
    [
      'a deep list',
      { f: ['a', { b: [1, 2] }] },
      styled('deepObject', { explode: true }),
      'f[0]=a&f[1][b][0]=1&f[1][b][1]=2',
    ],
    ['a deep text', { f: 'a' }, styled('deepObject'), 'f=a'],
  ]
  test.each(forms)("TOOL-05 sends a form's body as a form: %s", async (_, body, encoding, expected) => {
    expect(await form(body, encoding)).toEqual(['application/x-www-form-urlencoded', expected])
  })

  test('TOOL-05 keeps the media type of forms, and does not send one that is not an object', async () => {
    const type = 'application/x-www-form-urlencoded; charset=utf-8'
    expect(await form({ a: 1 }, undefined, type)).toEqual([type, 'a=1'])
    expect(await form([1])).toBe(
      'POST /a was not sent: The argument "body" is not an object, and is sent as the fields of a form.',
    )
  })

  test('TOOL-05 sends null and false as bodies', async () => {
    await using server = await loopbackServer()
    await using set = await opened(operation({ 'application/json': { schema: {} } }, false), { baseUrl: server.origin })
    for (const body of [null, false, 0, '']) await set.call('op', { body })
    await set.call('op')
    expect(server.seen.map(({ body }) => body)).toEqual(['null', 'false', '0', '""', ''])
  })
})

describe('TOOL-05 credentials', () => {
  const text = documentOf({ '/a': { get: { operationId: 'op' } } })

  test('TOOL-05 sends with each call no credentials, a bearer token, a key in a header, or custom headers', async () => {
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
