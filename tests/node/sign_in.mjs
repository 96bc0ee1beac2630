// supabase.auth against sign-in for development: node sign_in.mjs <url> <anon key> <service role key>
// Prints one JSON object with what a program sees; tests/sign_in/test_clients.py compares it.
import { createClient } from '@supabase/supabase-js'
import WebSocket from 'ws'

const [, , url, anonKey, serviceKey] = process.argv
const realtime = { transport: WebSocket }
const auth = { autoRefreshToken: false, persistSession: false }
const connect = (key) => createClient(url, key, { realtime, auth })
const [supabase, admin] = [connect(anonKey), connect(serviceKey)]
const seen = {}
const failure = (error) => error && [error.name, error.message, error.status, error.code]
const graphql = async (query) => {
  const { data } = await supabase.auth.getSession()
  const headers = { apikey: anonKey, 'content-type': 'application/json' }
  if (data.session) headers.authorization = `Bearer ${data.session.access_token}`
  const answer = await fetch(`${url}/graphql/v1`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return answer.json()
}
const ann = { email: 'ann@example.com', password: 'correct horse' }
const events = []
supabase.auth.onAuthStateChange((event) => events.push(event))

const signedUp = await supabase.auth.signUp({ ...ann, options: { data: { name: 'Ann' } } })
seen.signUp = [failure(signedUp.error), signedUp.data.user.email, signedUp.data.user.user_metadata]
seen.twice = failure((await supabase.auth.signUp(ann)).error)
seen.weak = failure((await supabase.auth.signUp({ ...ann, password: 'a' })).error)
await supabase.auth.signOut()
seen.wrong = failure((await supabase.auth.signInWithPassword({ ...ann, password: 'wrong' })).error)
const signedIn = await supabase.auth.signInWithPassword(ann)
seen.signIn = [failure(signedIn.error), signedIn.data.session.token_type, signedIn.data.user.id === signedUp.data.user.id]
seen.rows = await graphql('{ noteCollection { edges { node { body } } } }')
seen.inserted = await graphql('mutation { insertIntonoteCollection(objects: [{ body: "mine" }]) { records { body } } }')
const refreshed = await supabase.auth.refreshSession()
seen.refresh = [failure(refreshed.error), refreshed.data.session.refresh_token !== signedIn.data.session.refresh_token]
const getUser = await supabase.auth.getUser()
seen.getUser = [failure(getUser.error), getUser.data.user.email, getUser.data.user.identities.length]
const updated = await supabase.auth.updateUser({ password: 'another horse', data: { name: 'Anna' } })
seen.updateUser = [failure(updated.error), updated.data.user.user_metadata]
seen.signOut = failure((await supabase.auth.signOut()).error)
seen.events = [...events]
seen.reused = failure((await supabase.auth.refreshSession({ refresh_token: refreshed.data.session.refresh_token })).error)
seen.old = failure((await supabase.auth.getUser(refreshed.data.session.access_token)).error)

const created = await admin.auth.admin.createUser({ email: 'ben@example.com', password: 'secret1', email_confirm: true })
seen.createUser = [failure(created.error), created.data.user.email]
const listed = await admin.auth.admin.listUsers({ page: 1, perPage: 1 })
seen.listUsers = [listed.data.users.map((each) => each.email), listed.data.total, listed.data.nextPage, listed.data.lastPage]
const { id } = created.data.user
seen.getUserById = (await admin.auth.admin.getUserById(id)).data.user.email
const changed = await admin.auth.admin.updateUserById(id, { user_metadata: { name: 'Ben' } })
seen.updateUserById = changed.data.user.user_metadata
seen.deleteUser = failure((await admin.auth.admin.deleteUser(id)).error)
seen.deleted = failure((await admin.auth.admin.getUserById(id)).error)
seen.notAdmin = failure((await supabase.auth.admin.listUsers()).error)

const refused = {
  anonymous: () => supabase.auth.signInAnonymously(),
  otp: () => supabase.auth.signInWithOtp({ email: ann.email }),
  verify: () => supabase.auth.verifyOtp({ email: ann.email, token: '123456', type: 'email' }),
  recover: () => supabase.auth.resetPasswordForEmail(ann.email),
  idToken: () => supabase.auth.signInWithIdToken({ provider: 'google', token: 'x' }),
  sso: () => supabase.auth.signInWithSSO({ domain: 'example.com' }),
  phone: () => supabase.auth.signInWithPassword({ phone: '+436601234567', password: 'secret1' }),
  invite: () => admin.auth.admin.inviteUserByEmail(ann.email),
}
seen.refused = {}
for (const [name, call] of Object.entries(refused)) seen.refused[name] = failure((await call()).error)
console.log(JSON.stringify(seen))
process.exit(0)
