import { replaceInvisible } from '../domain/text/invisible.ts'

/** A skill in the index. */
export interface SkillEntry {
  readonly name: string
  readonly description: string
  /** The absolute path of its SKILL.md. */
  readonly file: string
}

const defaultBudget = 16_000

const descriptionLimit = 1_024

/**
 * Returns the index of skills for the system prompt in the format of the Agent Skills standard (requirement CTX-03):
 * escaped texts in the given order, as many as fit `budget` characters, and the number of the rest.
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

const overhead = 120

function entryOf({ name, description, file }: SkillEntry): string {
  const texts = { name, description: shortened(description), location: file }
  const lines = Object.entries(texts).map(([tag, text]) => `<${tag}>${escaped(text)}</${tag}>\n`)
  return `<skill>\n${lines.join('')}</skill>\n`
}

/** Shortens a description without splitting a character. */
function shortened(text: string): string {
  return text.length <= descriptionLimit
    ? text
    : `${text.slice(0, descriptionLimit).replace(/[\uD800-\uDBFF]$/, '')} […]`
}

/** Escapes a text so that it cannot close its tag; replaces line breaks and invisible characters by spaces. */
function escaped(text: string): string {
  const flat = replaceInvisible(text, () => ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  return flat.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
