import { expect, test } from 'vitest'
import { routeToObject } from '../../../src/adapters/hosts/durable-object/index.ts'

async function routed(path: string, init?: RequestInit) {
  const asked: string[] = []
  const namespace = {
    getByName: (name: string) => ({
      fetch: async (request: Request) => {
        asked.push(`${name} ${request.method} ${request.url} ${await request.text()}`)
        return new Response()
      },
    }),
  }
  const { status } = await routeToObject(new Request(`http://host${path}`, init), namespace)
  return { status, asked }
}

test('SCALE-02 routes a request to the object named by the start of its path, and removes that name', async () => {
  const { asked } = await routed('/order-17/runs?limit=2', { method: 'POST', body: '{}' })
  expect(asked).toEqual(['order-17 POST http://host/runs?limit=2 {}'])
})

test.each(['/', '//runs', '/order%2017/runs', '/a b/runs', `/${'a'.repeat(1_000_000)}/runs`])(
  'SCALE-02 reaches no object under the path %.20s',
  async (path) => expect(await routed(path)).toEqual({ status: 404, asked: [] }),
)
