import { onTestFinished } from 'vitest'
import type { Studio, StudioOptions } from '../../src/studio/index.ts'
import { checkedOptions } from '../../src/studio/options.ts'
import { openStudio } from '../../src/studio/studio.ts'

/** A studio that is closed when the test ends; its page is empty where nobody looks at it. */
export async function studioFor(
  options: StudioOptions,
  readFiles = async () => ({ script: '', style: '' }),
): Promise<Studio> {
  const studio = await openStudio(checkedOptions(options), readFiles)
  onTestFinished(() => studio.close())
  return studio
}
