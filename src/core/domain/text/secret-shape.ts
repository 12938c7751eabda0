/** The formats of well-known services' keys, of tokens and of private keys; their matching time is linear. */
const shapes = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,8000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /\b(?:sk|pk|rk)[-_](?:[A-Za-z0-9]{1,20}[-_]){0,4}[A-Za-z0-9_-]{16,300}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,255}|\bgithub_pat_[A-Za-z0-9_]{20,255}|\bglpat-[A-Za-z0-9_-]{16,64}/g,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,200}|\bnpm_[A-Za-z0-9]{30,64}|\bAIza[A-Za-z0-9_-]{30,40}|\bya29\.[A-Za-z0-9_-]{20,500}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,1000}/g,
  /\b(?:Bearer|Basic|Token) {1,4}[A-Za-z0-9._~+/=-]{12,4000}/g,
] as const

/** The maximum length of a secret that one of the formats matches. */
export const longestShape = 8_100

/** Returns a text with `[secret]` in place of keys, tokens and private keys. */
export function withoutSecretShapes(text: string): string {
  return shapes.reduce((rest, shape) => rest.replaceAll(shape, '[secret]'), text)
}
