import { replaceInvisible } from '../domain/text/invisible.ts'

/** What the index tells of one skill. */
export interface SkillEntry {
  readonly name: string
  readonly description: string
  /** Absolute path of its SKILL.md. */
  readonly file: string
}

/** Characters the index may take by default. */
const defaultBudget = 16_000

/** Characters of a description that the index shows at most. */
const descriptionLimit = 1_024

/**
 * The index of skills for the system prompt, as the Agent Skills standard has it (requirement CTX-03): every text
 * escaped, in the order given, as many as fit `budget` characters; what does not fit is counted. Empty for no skills.
 */
export function skillsIndex(skills: readonly SkillEntry[], budget = defaultBudget): string {
  if (skills.length === 0) return ''
  const shown: string[] = []
  let left = budget - overhead
  for (const skill of skills) {
    const entry = entryOf(skill)
    if (entry.length > left) break
    left -= entry.length
    shown.push(entry)
  }
  const missing = skills.length - shown.length
  const note = missing === 0 ? '' : `<left_out count="${missing}">These skills did not fit here.</left_out>\n`
  return `<available_skills>\n${shown.join('')}${note}</available_skills>`
}

/** Characters around the entries, the note on what is left out included. */
const overhead = 120

function entryOf({ name, description, file }: SkillEntry): string {
  const texts = { name, description: shortened(description), location: file }
  const lines = Object.entries(texts).map(([tag, text]) => `<${tag}>${escaped(text)}</${tag}>\n`)
  return `<skill>\n${lines.join('')}</skill>\n`
}

/** Never ends in half a character. */
function shortened(text: string): string {
  return text.length <= descriptionLimit
    ? text
    : `${text.slice(0, descriptionLimit).replace(/[\uD800-\uDBFF]$/, '')} […]`
}

/** A description is data: it cannot close its tag; what would break the line or hide from people is a space. */
function escaped(text: string): string {
  const flat = replaceInvisible(text, () => ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return flat.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
