/** The name a model is sent for a tool that is named elsewhere: legal characters, at most 64, an optional prefix. */
export function toolName(name: string, prefix?: string): string {
  const whole = prefix === undefined ? name : `${prefix}__${name}`
  return whole.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
}
