/** Words that name a secret as a whole word between `_` or `-`. */
const words =
  'API_?KEY|ACCESS_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIALS?|CREDS|MNEMONIC'

/** Words that name a secret only at the end of a name: `PWD` is a folder, and `SSH_AUTH_SOCK` a socket. */
const ends = 'PWD|PASS|PAT|AUTH|JWT|DSN|COOKIE|BEARER|WEBHOOK(?:_URL)?|CONN(?:ECTION)?_?STR(?:ING)?|SERVICE_ACCOUNT'

/** Words that also name a secret at the end of a longer word, as in `PGPASSWORD` and `githubToken`. */
const glued = 'API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE'

/** Headers that hold a secret. */
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
