// What supabase-js says of services that are not there: node absent.mjs <url> <key>
// Prints one JSON object with what a program sees of each; test_absent_services.py compares it.
import { createClient } from '@supabase/supabase-js'
import WebSocket from 'ws'

const [, , url, key] = process.argv
const supabase = createClient(url, key, { realtime: { transport: WebSocket } })
const seen = {}
const note = (name, error) => {
  seen[name] = [error?.name, error?.message, error?.status, error?.code]
}

seen.from = (await supabase.from('notes').select()).error
note('signIn', (await supabase.auth.signInWithPassword({ email: 'a@b.example', password: 'secret' })).error)
note('signUp', (await supabase.auth.signUp({ email: 'a@b.example', password: 'secret' })).error)
note('anonymous', (await supabase.auth.signInAnonymously()).error)
note('otp', (await supabase.auth.signInWithOtp({ email: 'a@b.example' })).error)
note('getUser', (await supabase.auth.getUser(key)).error)
note('admin', (await supabase.auth.admin.listUsers()).error)
const invoked = await supabase.functions.invoke('hello', { body: { a: 1 } })
note('function', invoked.error)
seen.functionBody = await invoked.error.context.json()
const channel = supabase.channel('room').on('postgres_changes', { event: '*', schema: 'public' }, () => {})
seen.channel = await new Promise((resolve) => channel.subscribe((status, error) => resolve([status, error?.message])))
await supabase.removeAllChannels()
try {
  seen.broadcast = await supabase.channel('other').httpSend('event', { a: 1 })
} catch (error) {
  seen.broadcast = error.message
}
console.log(JSON.stringify(seen))
process.exit(0)
