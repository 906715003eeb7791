/** As package.json says. (server/app.ts has it too, but would bring the whole server along.) */
export const VERSION = '0.1.0'
