/** https://www.rfc-editor.org/rfc/rfc9728 */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** What a client without a good token is told: where it says how to get one, and what was wrong with the one it has. */
export function challenge(base: string, path: string, wrong: string | null): string {
  const metadata = `Bearer resource_metadata="${base}${METADATA_PATH}${path}"`
  return wrong === null ? metadata : `${metadata}, error="invalid_token", error_description="${quotable(wrong)}"`
}

/** What a client is told whose token is good, but not for this. */
export const INSUFFICIENT = 'Bearer error="insufficient_scope"'

/** What protects a resource. @param path as in the address of the resource, with its query left out */
export function resourceMetadata(base: string, path: string, authServers: readonly string[]) {
  return {
    resource: `${base}${path}`,
    resource_name: 'Planroom',
    bearer_methods_supported: ['header'],
    ...(authServers.length === 0 ? {} : { authorization_servers: authServers }),
  }
}

const quotable = (text: string): string => text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")
