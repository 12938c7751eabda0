import type { Refreshed, RefreshCredentialsInput } from '../../../../machines/model-call/model-call.types.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { EffectHandler } from '../../ports/effect-handler.ts'
import type { AgentParts } from '../agent-parts.ts'
import { modelAt, modelsFrom } from './order-models.ts'

/** Refreshes the credentials of a model. A model that cannot do so is asked again with its old ones. */
export function refreshCredentials(parts: AgentParts): EffectHandler<RefreshCredentialsInput, Refreshed> {
  return {
    kind: 'local',
    perform: async ({ modelIndex, model: first }, { clock }) => {
      const model = modelAt(modelsFrom(parts.models, first), modelIndex)
      try {
        await model.refreshCredentials?.()
        return { output: { kind: 'refreshed' } }
      } catch (cause) {
        const what = `The model ${model.provider}/${model.id} refused its credentials, and refreshing them failed`
        const error = { code: 'auth_error', message: `${what}: ${thrownText(cause)}` }
        return { output: { kind: 'failed', error, at: clock.now() } }
      }
    },
  }
}
