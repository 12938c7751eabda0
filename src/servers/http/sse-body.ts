import { letProcessEnd } from '../../core/domain/text/platform.ts'

/** The source of a Server-Sent Events body. */
export interface SseSource {
  /** The next text to send, which may hold several events; undefined once there is no more. */
  next(): Promise<string | undefined>
  /** Is called once nobody reads any more, whichever end has left; `isClosed` if the reader has. */
  end(left: { readonly isClosed: boolean }): Promise<void>
}

/**
 * A body that asks for the next text when one is wanted, so that a slow reader holds nothing but what it has not taken. A
 * comment keeps a quiet connection open, and is sent only if the reader has taken what came before. What the source
 * throws breaks the body off: a reader never takes it for the end.
 */
export function sseBody({ next, end }: SseSource, keepAliveMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setInterval> | undefined
  const finish = (isClosed: boolean) => {
    clearInterval(timer)
    return end({ isClosed })
  }
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(': keep-alive\n\n'))
      }, keepAliveMs)
      letProcessEnd(timer)
    },
    async pull(controller) {
      try {
        const text = await next()
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        await finish(false)
        controller.close()
      } catch (error) {
        await finish(false)
        throw error
      }
    },
    cancel: () => finish(true),
  })
}
