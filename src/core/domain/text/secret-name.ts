/** Words that name a secret where they stand alone between `_` or `-`. */
const words =
  'API_?KEY|ACCESS_?KEY|KEY|TOKENS?|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|CREDENTIALS?|CREDS|MNEMONIC'

/** Words that name one at the end of a name alone: `PWD` is a folder, and `SSH_AUTH_SOCK` a socket. */
const ends = 'PWD|PASS|PAT|AUTH|JWT|DSN|COOKIE|BEARER|WEBHOOK(?:_URL)?|CONN(?:ECTION)?_?STR(?:ING)?|SERVICE_ACCOUNT'

/** Words that name one at the end of a longer word too, as in `PGPASSWORD` and `githubToken`. */
const glued = 'API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE'

/** Headers that hold a secret. */
const headers = /^(?:(?:proxy-)?authorization|(?:set-)?cookie)$/i

const secretName = new RegExp(`(?:^|[_-])(?:${words})(?:[_-]|$)|[_-](?:${ends})$|(?:${glued})$|^SSHPASS$`, 'i')

/** True for the name of a variable, as in an environment, whose value is a secret by what it is called. */
export function namesSecret(name: string): boolean {
  return secretName.test(name)
}

/** True for the name of a field or a header whose text is a secret by what it is called. */
export function isSecretField(name: string): boolean {
  return name.length < 100 && (namesSecret(name) || headers.test(name))
}
