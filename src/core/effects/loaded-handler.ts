import type { EffectHandler } from '../ports/effect-handler.ts'

/**
 * Stands for a handler that few runs need: its file is loaded when the effect is first performed. Where the file cannot be
 * loaded, the effect has failed, as where its handler throws.
 */
export function loadedHandler<Input, Output>(
  head: Pick<EffectHandler<Input, Output>, 'kind' | 'readsTranscript'>,
  load: () => Promise<EffectHandler<Input, Output>>,
): EffectHandler<Input, Output> {
  let handler: EffectHandler<Input, Output> | undefined
  return {
    ...head,
    perform: async (input, context) => {
      if (handler === undefined) {
        handler = await load()
        // The effect was withdrawn while its file was loading.
        context.signal.throwIfAborted()
      }
      return handler.perform(input, context)
    },
  }
}
