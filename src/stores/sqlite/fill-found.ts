import { maxSeq } from '../rows/encode-commit.ts'
import { logSpan } from './schema.ts'

const blanks = 'char(9, 10, 11, 12, 13, 32)'
const newLine = 'char(10)'

/** The messages in a list that say something, the first line of each. */
const lineOf = (text: string) => {
  const begun = `substr(ltrim(${text}, ${blanks}), 1, 401)`
  const lines = `replace(${begun}, char(13), ${newLine}) || ${newLine}`
  return `rtrim(substr(${begun}, 1, min(200, instr(${lines}, ${newLine}) - 1)), ${blanks})`
}

/**
 * What a run of an earlier layout is found by. It stands in the run's input; a prompt that was taken in from there is the first
 * message of a user among those that the run wrote itself. Whatever is not readable JSON counts as an empty object.
 */
export const fillFound = `
  WITH
    given (input) AS (
      SELECT CASE WHEN json_valid(body) THEN body ELSE '{}' END FROM inputs WHERE number = @run
    ),
    written (entry) AS (
      SELECT CASE WHEN json_valid(log.body) THEN log.body ELSE '{}' END
      FROM runs CROSS JOIN given CROSS JOIN log
      ON log.id BETWEEN coalesce(transcript, number) * ${logSpan}
          + max(first_seq, 1 + CASE json_type(input, '$.carried') WHEN 'integer' THEN input ->> '$.carried' ELSE 0 END)
        AND coalesce(transcript, number) * ${logSpan} + coalesce(last_seq, ${maxSeq})
      WHERE runs.number = @run AND kind = 'message'
      ORDER BY log.id
    ),
    said (messages) AS (
      SELECT CASE
        WHEN json_array_length(input, '$.messages') > 0 THEN input -> '$.messages'
        ELSE json_array((SELECT json(entry -> '$.message') FROM written WHERE entry ->> '$.message.role' = 'user' LIMIT 1))
      END
      FROM given
    ),
    lines (line, place, part) AS (
      SELECT ${lineOf("(CASE json_type(content.value, '$.text') WHEN 'text' THEN content.value ->> '$.text' END)")}, message.key, content.key
      FROM said, json_each(messages) AS message, json_each(messages, message.fullkey || '.content') AS content
      WHERE messages ->> (message.fullkey || '.role') = 'user' AND content.type = 'object'
    )
  UPDATE runs SET (subject, labels, prompt) = (
    SELECT
      CASE json_type(input, '$.subject') WHEN 'text' THEN input ->> '$.subject' ELSE runs.id END,
      CASE
        WHEN json_type(input, '$.labels') = 'object'
          AND NOT EXISTS (SELECT 1 FROM json_each(input, '$.labels') AS label WHERE label.type <> 'text')
        THEN input -> '$.labels'
      END,
      (SELECT line FROM lines WHERE line <> '' ORDER BY place DESC, part LIMIT 1)
    FROM given
  )
  WHERE number = @run`
