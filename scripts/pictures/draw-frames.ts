/** The time that each frame is shown. */
const holdMs = 3_000

/** Draws images of one size as an animated SVG that shows one after the other, and begins again after the last. */
export function drawFrames(
  frames: readonly string[],
  size: { readonly width: number; readonly height: number },
): string {
  const { width, height } = size
  const keyTimes = [...frames.keys(), frames.length].map((index) => (index / frames.length).toFixed(4)).join(';')
  const images = frames.map((href, index) => {
    const values = [...frames.keys(), frames.length].map((at) => (at === index ? 1 : 0)).join(';')
    const shows = `<animate attributeName="opacity" values="${values}" keyTimes="${keyTimes}" calcMode="discrete" dur="${frames.length * holdMs}ms" repeatCount="indefinite"/>`
    return `<image width="${width}" height="${height}" href="${href}" opacity="${index === 0 ? 1 : 0}">${shows}</image>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A run in the studio, approved there">
${images.join('\n')}
</svg>
`
}
