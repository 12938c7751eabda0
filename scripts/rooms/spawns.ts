/** The machines that a machine spawns and may therefore import. */
export const spawns: Readonly<Record<string, readonly string[]>> = {
  run: ['tool-call', 'model-call'],
  branches: ['tool-call'],
  session: ['run'],
}
