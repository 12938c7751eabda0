const everyMs = 60_000
let lastAt = performance.now()

/** Shows how far a long proof has come: in place on a terminal, otherwise a line each minute on standard error. */
export function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text} `)
  else if (performance.now() - lastAt > everyMs) {
    lastAt = performance.now()
    console.error(text)
  }
}
