import { redactorOf, type Secret } from '../../../core/domain/text/redactor.ts'

/** Headers that authorise a request. */
const secretHeader = /^(?:proxy-)?authorization$|^cookie$|key|token|secret|password/i

/** Characters below which a value is too common to be masked, such as the key `none` of a local server. */
const shortest = 8

/** Masks, in the text of an error, the keys of its requests and the password of an address. */
export class ErrorMask {
  readonly #secrets = new Map<string, Secret>()

  /** Records a request's credentials. */
  note(headers: Headers): void {
    for (const [name, value] of headers) {
      const secret = value.split(' ').at(-1) ?? ''
      if (!secretHeader.test(name) || secret.length < shortest) continue
      this.#secrets.set(secret, { name, value: secret })
    }
  }

  readonly text = (text: string): string => redactorOf([...this.#secrets.values()]).text(withoutPassword(text))
}

/** Masks the user and the password before the `@` of each address in a text. */
export function withoutPassword(text: string): string {
  return text.replaceAll(/(:\/\/)[^\s/?#@]+@/g, '$1[secret]@')
}
