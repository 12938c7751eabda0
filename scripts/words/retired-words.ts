/** Words that no identifier and no file name may hold, and what is said instead; docs/glossary.md has the meanings. */
export const retiredWords: ReadonlyMap<string, string> = new Map([
  ['desk', 'outbox'],
  ['hand', 'effect handler, or give'],
  ['bench', 'effect runner'],
  ['ledger', 'run log'],
  ['teller', 'pending events'],
  ['offer', 'effect'],
  ['stage', 'harness'],
  ['scene', 'scenario'],
  ['passage', 'path'],
  ['turnstile', 'interleaver'],
  ['board', 'table'],
  ['world', 'environment'],
  ['life', 'process'],
  ['keeper', 'renewal'],
  ['harmless', 'what happens instead, such as ignored throws'],
])
