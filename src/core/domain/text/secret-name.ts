/** Words that name a secret as a whole word between `_` or `-`. */
const words =
  'API_?KEY|ACCESS_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIALS?|CREDS|MNEMONIC'

/** Words that name a secret only at the end of a name: `PWD` is a folder, and `SSH_AUTH_SOCK` a socket. */
const ends = 'PWD|PASS|PAT|AUTH|JWT|DSN|COOKIE|BEARER|WEBHOOK(?:_URL)?|CONN(?:ECTION)?_?STR(?:ING)?|SERVICE_ACCOUNT'

/** Words that also name a secret at the end of a longer word, as in `PGPASSWORD` and `githubToken`. */
const glued = 'API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE'

const headers = /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i

const secretName = new RegExp(`(?:^|[_-])(?:${words})(?:[_-]|$)|[_-](?:${ends})$|(?:${glued})$|^SSHPASS$`, 'i')

/** Returns true for the name of an environment variable that holds a secret. */
export function namesSecret(name: string): boolean {
  return secretName.test(name)
}

/** Returns true for the name of a field or a header that holds a secret. */
export function isSecretField(name: string): boolean {
  return name.length < 100 && (namesSecret(name) || headers.test(name))
}

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
