/** How a connection is closed whose document writes under a client id that another document has: it takes a new one. */
export const TWIN_CODE = 4500
export const TWIN_REASON = 'another document writes under your client id: take a new one and bring your change again'
