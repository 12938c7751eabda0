import type { AssistantMessage, ModelMessage } from '../domain/message.ts'
import type { RequestContext } from './plugin.ts'

/**
 * Makes the messages of one model call from those of the transcript (requirement AGT-07). It is asked at each attempt,
 * before media are masked and before the prompt is compacted, and what it gives is not stored. Whatever it gives, every
 * call in it gets exactly one result. One that throws, gives no messages or does not end within `hookTimeoutMs` ends the
 * run with an error that says so.
 *
 * @example
 * const promptBuilder: BuildPrompt = (messages) => messages.filter(({ role }) => role !== 'toolResult')
 */
export type BuildPrompt = (
  messages: readonly ModelMessage[],
  context: RequestContext,
) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>

/**
 * Says what is taken of a model's answer (requirement AGT-07): nothing for the answer itself, else the content that
 * takes the place of the answer's own. It is asked at each whole answer, before its calls are planned. What the answer
 * has used and cost stays. One that throws, gives no readable content or does not end within `hookTimeoutMs` ends the
 * run with an error that says so.
 *
 * @example
 * const takeAnswer: TakeAnswer = ({ content }) => ({ content: content.filter(({ type }) => type !== 'thinking') })
 */
export type TakeAnswer = (
  answer: AssistantMessage,
  context: RequestContext,
) => AnswerContent | undefined | void | Promise<AnswerContent | undefined | void>

/** The part of an answer that may be exchanged; what it was, what it used and what it cost stays. */
export type AnswerContent = Pick<AssistantMessage, 'content'>
