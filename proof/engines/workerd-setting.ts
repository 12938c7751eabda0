import { bundleWorker } from './bundle-worker.ts'
import type { EngineSetting, SettingPlan } from './engine-setting.ts'
import { askObject, token } from './object-client.ts'
import { startWorkerd } from './workerd.ts'

/** Objects on workerd. */
export async function workerdSetting({ folder, journal, plant }: SettingPlan): Promise<EngineSetting> {
  const script = await bundleWorker('proof/engines/workers/run-worker.ts')
  const texts = { JOURNAL: journal.url, TOKEN: token, ...(plant === undefined ? {} : { PLANT: plant }) }
  const start = () => startWorkerd({ folder, script, texts })
  let server = await start()
  return {
    mostOpen: 10,
    lookMs: 20,
    url: () => server.url,
    mostCuts: 10,
    async cut(id, { write, isKept }) {
      await askObject(server.url, `/${id}/cut?write=${write}${isKept ? '&kept' : ''}`)
      return async () => {
        const { left } = (await askObject(server.url, `/${id}/cut`)) as { readonly left: number }
        return left <= 0
      }
    },
    faults: {
      async kills() {
        await server.kill()
        server = await start()
      },
      async evictions(openIds) {
        await Promise.all(openIds.map((id) => askObject(server.url, `/${id}/evict`, {})))
      },
    },
    [Symbol.asyncDispose]: () => server.kill(),
  }
}
