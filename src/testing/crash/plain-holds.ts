/** Renumbers the ids of holds in order, because a process that died before it stored a hold has used up an id. */
export function withPlainHolds<Value>(value: Value): Value {
  const holds: string[] = []
  const text = JSON.stringify(value).replace(/hold_\d+/g, (id) => {
    if (!holds.includes(id)) holds.push(id)
    return `hold_${holds.indexOf(id) + 1}`
  })
  return JSON.parse(text) as Value
}
