// Uploads with the unmodified tus-js-client: node resumable.mjs <url> <url through a relay that breaks> <key> <bucket>
// Prints one JSON object with what was seen; test_resumable_clients.py compares it.
import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { createClient } from '@supabase/supabase-js'
import { Upload } from 'tus-js-client'

const [, , url, broken, key, bucket] = process.argv
// Realtime wants a WebSocket, which old versions of node do not have.
const supabase = createClient(url, key, { realtime: { transport: class {} } })
const endpoint = `${url}/storage/v1/upload/resumable`
const data = randomBytes(3_000_000)
const seen = {}
const hash = (bytes) => createHash('md5').update(bytes).digest('hex')
const upload = (source, objectName, options) =>
  new Promise((resolve, reject) => {
    const task = new Upload(source, {
      endpoint,
      headers: { authorization: `Bearer ${key}`, ...options.headers },
      metadata: { bucketName: bucket, objectName, contentType: 'x/y', cacheControl: '60', metadata: '{"a":1}' },
      chunkSize: 256 * 1024,
      retryDelays: Array(50).fill(10),
      onShouldRetry: () => true,
      onError: reject,
      onSuccess: resolve,
      ...options.more,
    })
    options.started?.(task)
    task.start()
  })
const same = async (name) => {
  const { data: found, error } = await supabase.storage.from(bucket).download(name)
  return error ? error.message : hash(Buffer.from(await found.arrayBuffer())) === hash(data)
}
const attempt = async (name, options = {}, source = data) => {
  await upload(source, name, options)
  seen[name] = await same(name)
}

await attempt('chunks')
await attempt('at once', { more: { chunkSize: Infinity } })
await attempt('with creation', { more: { uploadDataDuringCreation: true } })
const stream = { uploadLengthDeferred: true, chunkSize: 700_000 }
await attempt('deferred', { more: stream }, Readable.from([data.subarray(0, 999_999), data.subarray(999_999)]))
// Its one chunk tells the length, and tells it again with each further slice of it.
await attempt('deferred at once', { more: { ...stream, chunkSize: data.length * 2 } }, Readable.from([data]))

const { data: signed } = await supabase.storage.from(bucket).createSignedUploadUrl('signed')
await attempt('signed', {
  headers: { authorization: '', 'x-signature': signed.token },
  more: { endpoint: `${endpoint}/sign` },
})

// Broken off by the user, then continued by another upload object that knows the URL.
let task
await new Promise((resolve, reject) => {
  upload(data, 'resumed', {
    started: (each) => (task = each),
    more: { onChunkComplete: () => task.abort().then(resolve) },
  }).catch(reject)
})
await attempt('resumed', { more: { uploadUrl: task.url } })
seen.info = (await supabase.storage.from(bucket).info('resumed')).data

let ended
await new Promise((resolve) => {
  upload(data, 'terminated', {
    started: (each) => (ended = each),
    more: { onChunkComplete: () => ended.abort(true).then(resolve) },
  })
})
seen.terminated = (await fetch(ended.url, {
  method: 'HEAD', headers: { authorization: `Bearer ${key}`, 'tus-resumable': '1.0.0' } })).status

for (const [name, more] of [['through breaks', {}], ['at once through breaks', { chunkSize: Infinity }]]) {
  await attempt(name, { more: { ...more, endpoint: `${broken}/storage/v1/upload/resumable` } })
}
const never = { more: { onShouldRetry: () => false } }
seen.again = await upload(data, 'chunks', never).catch((error) => error.originalResponse.getBody())
console.log(JSON.stringify(seen))
