const json = 'application/json'

/** The media types that a body may have, by method: for refusals, contracts and documents alike. */
export const bodyMediaTypes: { readonly [method in 'POST' | 'PUT' | 'PATCH']: readonly string[] } = {
  POST: [json],
  PUT: [json],
  PATCH: [json, 'application/merge-patch+json'],
}
