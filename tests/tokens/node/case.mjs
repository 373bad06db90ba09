// What every program here does around its library: the case comes in as JSON on stdin, what the
// library made of herald's answers goes out as JSON on stdout.
import { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'

globalThis.crypto ??= webcrypto // Node.js 18 does not show it by itself

export function readCase() {
  return JSON.parse(readFileSync(0, 'utf8'))
}

// `refusal` turns the library's own exception into {error, status}; others end the program.
export async function report(act, refusal) {
  try {
    console.log(JSON.stringify(await act()))
  } catch (fault) {
    const refused = refusal(fault)
    if (!refused?.error) throw fault
    console.log(JSON.stringify({ refused }))
  }
}
