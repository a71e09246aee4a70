/** Addresses of a deployment. They replace those of the declaration, and may differ from what was published. */
export interface AddressSettings {
  /** `NOUNKIT_TOKEN_ISSUER`: an issuer for each that is declared, in the same order, or `off`, with commas between them. */
  readonly tokenIssuer?: string | undefined
  /** `NOUNKIT_TOKEN_AUDIENCE`: one audience for all issuers, or one for each, with commas between them. */
  readonly tokenAudience?: string | undefined
  /** `NOUNKIT_CORS_ORIGINS`: origins with commas between them, `*`, or `off`. */
  readonly corsOrigins?: string | undefined
  /** `NOUNKIT_PROXIES`: address ranges of trusted proxies with commas between them, or `off`. */
  readonly proxies?: string | undefined
}
