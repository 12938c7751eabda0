/** A hold is named by a fresh id, and a process that died before it stored one has used one up: they are counted. */
export function withPlainHolds<Value>(value: Value): Value {
  const holds: string[] = []
  const text = JSON.stringify(value).replace(/hold_\d+/g, (id) => {
    if (!holds.includes(id)) holds.push(id)
    return `hold_${holds.indexOf(id) + 1}`
  })
  return JSON.parse(text) as Value
}
