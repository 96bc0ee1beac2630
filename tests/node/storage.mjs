// A whole life cycle with the unmodified client package: node life.mjs <url> <service key> <anon key>
// Prints one JSON object with what was seen at each step; test_clients.py compares it.
import { gzipSync } from 'node:zlib'
import { StorageClient } from '@supabase/storage-js'

const [, , url, serviceKey, anonKey] = process.argv
const client = (key) => new StorageClient(url, { apikey: key, Authorization: `Bearer ${key}` })
const storage = client(serviceKey)
const stranger = client(anonKey)
const seen = {}
const note = (name, { data, error }) => {
  seen[name] = error
    ? { error: { message: error.message, statusCode: error.statusCode, status: error.status, name: error.name } }
    : { data }
  return data
}
const text = async ({ data, error }) => (error ? { error: error.message } : await data.text())

const name = 'js-bucket'
note('createBucket', await storage.createBucket(name, { public: false, fileSizeLimit: '5MB' }))
note('createBucketAgain', await storage.createBucket(name))
const bucket = note('getBucket', await storage.getBucket(name))
note('listBuckets', await storage.listBuckets({ search: 'js-', limit: 5 }))
note('updateBucket', await storage.updateBucket(name, { public: true, allowedMimeTypes: null }))
const files = storage.from(name)

note('uploadBlob', await files.upload('folder/a b.txt', new Blob(['blob'], { type: 'text/plain' }), {
  cacheControl: '77', metadata: { who: 'js' } }))
note('uploadAgain', await files.upload('folder/a b.txt', new Blob(['again'])))
const zipped = gzipSync('compressed')
await files.upload('zipped/blob', new Blob([zipped]), { contentEncoding: 'gzip' })
await files.upload('zipped/buffer', zipped, { contentType: 'text/plain', contentEncoding: 'gzip' })
await files.copy('zipped/blob', 'zipped/copied', { copyMetadata: false, metadata: { contentEncoding: '' } })
seen.zipped = []
for (const each of ['blob', 'buffer', 'copied']) {
  const { data } = await files.info(`zipped/${each}`)
  const served = await (await files.download(`zipped/${each}`)).data.text()
  seen.zipped.push([data.contentEncoding, served === 'compressed'])
}
await files.remove(['zipped/blob', 'zipped/buffer', 'zipped/copied'])
note('versioned', await storage.createBucket('js-versions', { versioningStatus: 'ENABLED' }))
note('infoOfVersion', await files.info('folder/a b.txt', { versionId: 'x' }))
note('removeVersion', await files.remove([{ path: 'folder/a b.txt', versionId: 'x' }]))
note('upsert', await files.upload('folder/a b.txt', new Blob(['upserted'], { type: 'text/plain' }), { upsert: true }))
note('uploadBuffer', await files.upload('folder/buffer.bin', Buffer.from([1, 2, 3]), {
  contentType: 'application/x-three', metadata: { n: 3 } }))
const form = new FormData()
form.append('file', new Blob(['in a form']), 'f.txt')
note('uploadForm', await files.upload('form.txt', form))
const stream = new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode('streamed')); c.close() } })
note('uploadStream', await files.upload('stream.txt', stream, { contentType: 'text/x-stream', duplex: 'half' }))
note('update', await files.update('form.txt', new Blob(['updated'])))

seen.download = await text(await files.download('folder/a b.txt'))
seen.downloadBuffer = (await files.download('folder/buffer.bin')).data.type
seen.downloadStream = await text(await files.download('stream.txt'))
seen.downloadMissing = (await files.download('none')).error?.name
note('info', await files.info('folder/buffer.bin'))
note('exists', await files.exists('form.txt'))
seen.existsNot = (await files.exists('none')).data
note('list', await files.list())
note('listFolder', await files.list('folder', { limit: 1, offset: 1, sortBy: { column: 'name', order: 'desc' } }))
note('listSearch', await files.list('folder', { search: 'buf' }))
if (files.listV2) {
  const first = note('listV2', await files.listV2({ limit: 2, with_delimiter: true }))
  note('listV2next', await files.listV2({ limit: 2, with_delimiter: true, cursor: first.nextCursor }))
}
note('copy', await files.copy('form.txt', 'copied.txt'))
note('move', await files.move('copied.txt', 'moved here.txt'))
note('moveMissing', await files.move('none', 'x'))

const signed = note('createSignedUrl', await files.createSignedUrl('folder/a b.txt', 60, { download: 'näme.txt' }))
const viaSigned = await fetch(signed.signedUrl)
seen.viaSigned = [viaSigned.status, await viaSigned.text(), viaSigned.headers.get('content-disposition')]
const many = note('createSignedUrls', await files.createSignedUrls(['form.txt', 'none'], 60))
seen.viaSignedMany = await (await fetch(many[0].signedUrl)).text()
const upload = note('createSignedUploadUrl', await files.createSignedUploadUrl('signed up.txt'))
note('uploadToSignedUrl', await stranger.from(name).uploadToSignedUrl(upload.path, upload.token, new Blob(['by anyone'])))
seen.signedUpload = await text(await files.download('signed up.txt'))
const publicUrl = stranger.from(name).getPublicUrl('folder/a b.txt').data.publicUrl
seen.viaPublic = await (await fetch(publicUrl)).text()

const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>'
await files.upload('drawn.svg', new Blob([svg]), { contentType: 'image/svg+xml' })
const transform = { width: 20, height: 10, resize: 'contain', format: 'origin' }
const drawn = note('signTransform', await files.createSignedUrl('drawn.svg', 60, { transform }))
const drawnUrls = [drawn.signedUrl, stranger.from(name).getPublicUrl('drawn.svg', { transform }).data.publicUrl]
seen.drawn = [await text(await files.download('drawn.svg', { transform }))]
for (const url of drawnUrls) seen.drawn.push(await (await fetch(url)).text())
seen.drawnAt = drawnUrls.map(url => new URL(url).pathname)

note('strangerUpload', await stranger.from(name).upload('x.txt', new Blob(['x'])))
note('strangerGet', await stranger.getBucket(name))

note('remove', await files.remove(['form.txt', 'none']))
note('deleteNotEmpty', await storage.deleteBucket(name))
note('emptyBucket', await storage.emptyBucket(name))
note('deleteBucket', await storage.deleteBucket(name))
note('getBucketGone', await storage.getBucket(name))
console.log(JSON.stringify(seen))
