import type { Model } from '../../src/index.ts'

/** A model whose answer comes piece by piece, as the test gives them. */
export function heldAnswer() {
  const asked = Promise.withResolvers<void>()
  const pieces: PromiseWithResolvers<string | undefined>[] = []
  const next = (index: number) => (pieces[index] ??= Promise.withResolvers())
  const model: Model = {
    provider: 'held',
    id: 'held',
    async *stream() {
      asked.resolve()
      let whole = ''
      for (let index = 0; ; index++) {
        const delta = await next(index).promise
        if (delta === undefined) break
        whole += delta
        yield { type: 'text', delta }
      }
      const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 }
      const content = [{ type: 'text' as const, text: whole }]
      const head = { provider: 'held', model: 'held', stopReason: 'stop' as const, timestamp: 0 }
      yield { type: 'finished', message: { role: 'assistant', content, usage, ...head } }
    },
  }
  let given = 0
  return { model, asked: asked.promise, give: (piece?: string) => next(given++).resolve(piece) }
}
