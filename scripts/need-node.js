// No imports and no new syntax: this file must run, and explain itself, on any Node.
const parts = process.versions.node.split('.')
const major = Number(parts[0])
const minor = Number(parts[1])
const runsTypeScript = major > 23 || (major === 23 && minor >= 6) || (major === 22 && minor >= 18)

if (!runsTypeScript) {
  console.error(
    'Node ' +
      process.versions.node +
      ' cannot run the scripts of this repository: they need 22.18 or newer.\n' +
      'The development dependency "node" brings one, but its install script has not run' +
      ' (npm was told to ignore scripts, or the install is not complete).\n' +
      'Run `npm ci --ignore-scripts=false`, or use a newer Node.',
  )
  process.exit(1)
}
