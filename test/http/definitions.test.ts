import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { PROVIDERS } from '../../shared/dialects/providers.ts'
import { DIALECTS } from '../../shared/dialects/registry.ts'
import { ask, call, expectProblem, newApp } from '../helpers/http.ts'

/** The definitions as they are lent to a model; strict only where the provider knows that. */
const golden = async (dialect: string, provider: string, strict: boolean): Promise<unknown> => {
  const name = `${dialect}-${provider}${strict ? '-strict' : ''}`
  return JSON.parse(await readFile(new URL(`../dialects/golden/${name}.json`, import.meta.url), 'utf8')) as unknown
}
const FORMS = PROVIDERS.flatMap((provider) =>
  provider.startsWith('openai') || provider === 'anthropic'
    ? [[provider, false] as const, [provider, true] as const]
    : [[provider, false] as const],
)

describe.each([...DIALECTS.keys()])('the tools of %s over HTTP', (dialect) => {
  test.each(FORMS)('for %s, strict: %s, as the golden file says, to the byte each time', async (provider, strict) => {
    const wanted = await golden(dialect, provider, strict)
    const app = newApp()
    const address = `/threads/plan/tools?dialect=${dialect}&provider=${provider}&strict=${strict}`
    const { status, json, text } = await ask(app, address)
    expect(status).toBe(200)
    expect(json).toEqual({ dialect, provider, tools: wanted })
    // Whatever happens on the thread: prompt caches hold.
    await call(app, 'plan', 'add_todos', { steps: ['a'] })
    expect((await ask(app, address)).text).toBe(text)
  })
})

test('[bad input] unknown providers, dialects and flags are 400, and nothing comes into being', async () => {
  const app = newApp()
  for (const query of ['provider=acme', 'provider=', 'dialect=klingon', 'strict=maybe', 'strict=', 'provider=OpenAI'])
    expectProblem(await ask(app, `/threads/plan/tools?${query}`), 400, 'bad-request')
  expectProblem(await ask(app, '/threads/plan'), 404, 'unknown-thread')
  expect((await ask(app, '/threads/plan/tools')).json).toMatchObject({ dialect: 'outline', provider: 'base' })
})
