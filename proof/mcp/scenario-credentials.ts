import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client'

/** A person who signs in at once, wherever they are sent. */
export class PersonProvider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:9/callback'
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json'
  readonly clientMetadata = {
    client_name: 'statewright',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
  #client: OAuthClientInformationMixed | undefined
  #tokens: OAuthTokens | undefined
  #verifier = ''
  #code: URLSearchParams | undefined
  #discovery: OAuthDiscoveryState | undefined

  constructor(client?: OAuthClientInformationMixed) {
    this.#client = client
  }

  /** The code that the person brought back; once. */
  takeCode(): URLSearchParams | undefined {
    const code = this.#code
    this.#code = undefined
    return code
  }

  clientInformation() {
    return this.#client
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client
  }

  tokens() {
    return this.#tokens
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    const { headers } = await fetch(url, { redirect: 'manual' })
    this.#code = new URL(headers.get('location') ?? '', url).searchParams
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  discoveryState() {
    return this.#discovery
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined
    if (scope === 'all' || scope === 'client') this.#client = undefined
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined
  }
}

/** The way in which one scenario wants its client to sign in; the earlier agreement comes as JSON. */
export function providerFor(scenario: string, given: string | undefined): OAuthClientProvider {
  const context: Readonly<Record<string, string>> = given === undefined ? {} : JSON.parse(given)
  const clientId = context['client_id'] ?? ''
  const clientSecret = context['client_secret'] ?? ''
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return new PrivateKeyJwtProvider({
        clientId,
        privateKey: context['private_key_pem'] ?? '',
        algorithm: context['signing_algorithm'] ?? 'ES256',
      })
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret })
    case 'auth/cross-app-access-complete-flow':
      return new CrossAppAccessProvider({
        clientId,
        clientSecret,
        assertion: async ({ authorizationServerUrl, resourceUrl }) => {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: context['idp_token_endpoint'] ?? '',
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: context['idp_id_token'] ?? '',
            clientId: context['idp_client_id'] ?? '',
          })
          return jwtAuthGrant
        },
      })
    case 'auth/pre-registration':
      return new PersonProvider({ client_id: clientId, client_secret: clientSecret })
    default:
      return new PersonProvider()
  }
}
