import { letProcessEnd } from '../../core/domain/text/platform.ts'

/** The source of a Server-Sent Events body. */
export interface SseSource {
  /** The next text to send, which may hold several events; undefined once there is no more. */
  next(): Promise<string | undefined>
  /** Called when there is no reader any more, whichever end has closed; `isClosed` if the reader has. */
  end(left: { readonly isClosed: boolean }): Promise<void>
}

/**
 * Returns a body that requests the next text only when the reader wants it, so that a slow reader holds only the text
 * that it has not read. A comment keeps a quiet connection open, and is sent only if the reader has read everything
 * before it. An exception of the source breaks the body off, so that a reader never mistakes it for the end.
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
