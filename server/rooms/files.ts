/** Files that calls may name. */
export interface Files {
  /** @returns the file's text, or why it cannot be had, in words for whoever asked. Never rejects. */
  read(path: string): Promise<{ readonly text: string } | { readonly error: string }>
}

/** No folder was named to read files from. */
export const noFiles: Files = {
  read: () => Promise.resolve({ error: 'this server reads no files; send the text as markdown instead' }),
}
