const always = ['PATH', 'HOME', 'LANG', 'TERM', 'TZ']

/** The part of an environment that commands are given: a few harmless variables, and those named. */
export function passedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  named: readonly string[] = [],
): Readonly<Record<string, string>> {
  const names = [...new Set([...always, ...named])]
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  )
}
