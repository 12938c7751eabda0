import { base64Of } from './base64.ts'

/**
 * Returns the likely encodings of a secret: plain, percent-encoded, form-encoded, within JSON and nested JSON, and as
 * base64 in both alphabets at any offset. No form is shorter than the secret.
 */
export function formsOf(secret: string): readonly string[] {
  const forms = [secret, ...percentForms(secret), ...jsonForms(secret), ...base64Forms(secret)]
  return [...new Set(forms)].filter((form) => form.length >= secret.length)
}

function percentForms(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret.toWellFormed())
  const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
  return [encoded, inForm].flatMap((form) => [form, form.replaceAll(/%../g, (one) => one.toLowerCase())])
}

/** Returns the JSON forms, because JSON writers differ in escaping slashes and letters beyond ASCII. */
function jsonForms(secret: string): readonly string[] {
  const quoted = JSON.stringify(secret).slice(1, -1)
  const ascii = quoted.replaceAll(/[\u0080-\uffff]/g, escaped)
  const forms = [quoted, ascii].flatMap((form) => [form, form.replaceAll('/', String.raw`\/`)])
  return [...forms, JSON.stringify(quoted).slice(1, -1)]
}

function escaped(letter: string): string {
  return String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, '0')
}

/** Returns the base64 forms without the letters that share bits with neighbouring bytes. */
function base64Forms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  return [0, 1, 2].flatMap((before) => {
    const whole = base64Of(new Uint8Array([...new Uint8Array(before), ...bytes]))
    const known = whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return [known, known.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
