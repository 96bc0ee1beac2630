// Operations with the unmodified AWS SDK: node s3.mjs <endpoint> <access key> <secret> <bucket>
// Prints one JSON object with what was seen; test_javascript.py compares it.
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CompleteMultipartUploadCommand, CopyObjectCommand, CreateBucketCommand, CreateMultipartUploadCommand,
  DeleteBucketCommand, DeleteObjectsCommand, GetObjectCommand, HeadBucketCommand, HeadObjectCommand, ListBucketsCommand,
  GetObjectTaggingCommand, ListObjectsV2Command, paginateListObjectsV2, PutObjectCommand, S3Client, UploadPartCopyCommand, waitUntilObjectExists,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

const [, , endpoint, accessKeyId, secretAccessKey, Bucket] = process.argv
const s3 = new S3Client({
  endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1,
})
const send = (command) => s3.send(command)
const body = async (Key, more = {}) => (await send(new GetObjectCommand({ Bucket, Key, ...more }))).Body.transformToString()
const refusal = (command) => send(command).then(() => 'done', (error) => [error.name, error.$metadata.httpStatusCode])
const seen = {}

await send(new CreateBucketCommand({ Bucket }))
await send(new HeadBucketCommand({ Bucket }))
seen.buckets = (await send(new ListBucketsCommand({ Prefix: Bucket }))).Buckets.map((each) => each.Name)

const put = { Bucket, Key: "a b/(e)!'*+.txt", Body: 'hello', ContentType: 'text/x', Metadata: { user_id: '7' } }
seen.etag = (await send(new PutObjectCommand(put))).ETag
await waitUntilObjectExists({ client: s3, maxWaitTime: 10 }, { Bucket, Key: put.Key })
const head = await send(new HeadObjectCommand({ Bucket, Key: put.Key }))
seen.head = [head.ContentLength, head.ContentType, head.Metadata]
seen.range = await body(put.Key, { Range: 'bytes=1-3' })
seen.createOnly = await refusal(new PutObjectCommand({ ...put, IfNoneMatch: '*' }))
seen.missing = await refusal(new GetObjectCommand({ Bucket, Key: 'none' }))

// A stream goes in chunks of the SDK's own framing, with a checksum after them.
await send(new PutObjectCommand({ Bucket, Key: 'stream', Body: Readable.from([Buffer.from('one '), Buffer.from('two')]), ContentLength: 7 }))
seen.stream = await body('stream')

const large = randomBytes(11 * 1024 * 1024)
const upload = new Upload({ client: s3, params: { Bucket, Key: 'large', Body: Readable.from([large]) }, partSize: 5 * 1024 * 1024 })
seen.parts = (await upload.done()).ETag.replace(/^"[0-9a-f]{32}/, '')
const back = await (await send(new GetObjectCommand({ Bucket, Key: 'large' }))).Body.transformToByteArray()
seen.same = Buffer.compare(Buffer.from(back), large) === 0

const copied = { Bucket, Key: 'copy', CopySource: encodeURI(`${Bucket}/${put.Key}`) }
seen.copied = (await send(new CopyObjectCommand(copied))).CopyObjectResult.ETag === seen.etag

const forGet = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: put.Key }), { expiresIn: 60 })
seen.signedGet = await (await fetch(forGet)).text()
const forPut = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: 'signed', ContentType: 'a/b' }), { expiresIn: 60 })
seen.signedPut = (await fetch(forPut, { method: 'PUT', body: 'by URL', headers: { 'content-type': 'a/b' } })).status
seen.afterwards = await body('signed')

// The presigner moves x-amz- headers into the query.
const presigned = async (command, headers = {}, data = undefined) => {
  const answer = await fetch(await getSignedUrl(s3, command, { expiresIn: 60 }), { method: data === null ? 'POST' : 'PUT', headers, body: data ?? undefined })
  return [answer.status, await answer.text()]
}
const codeOf = ([status, text]) => [status, /<Code>(\w+)/.exec(text)?.[1] ?? '']
const described = { Bucket, Key: 'signed', Metadata: { owner: '42', place: 'Größe' } }
await presigned(new PutObjectCommand(described), {}, 'by URL')
const metadata = async (Key) => (await send(new HeadObjectCommand({ Bucket, Key }))).Metadata
seen.signedMetadata = await metadata('signed')
const onto = { Bucket, Key: 'signed', CopySource: `${Bucket}/signed`, MetadataDirective: 'REPLACE', Metadata: { owner: '43' } }
seen.signedCopy = (await presigned(new CopyObjectCommand(onto)))[0]
seen.afterTheCopy = [await body('signed'), await metadata('signed')]
const begun = await presigned(new CreateMultipartUploadCommand({ ...described, Key: 'stream' }), {}, null)
const UploadId = /<UploadId>([^<]+)/.exec(begun[1])[1]
const copiedPart = await presigned(new UploadPartCopyCommand({ Bucket, Key: 'stream', UploadId, PartNumber: 1, CopySource: `${Bucket}/signed` }))
const ETag = /<ETag>([^<]+)/.exec(copiedPart[1])[1].replaceAll('&quot;', '"')
await send(new CompleteMultipartUploadCommand({ Bucket, Key: 'stream', UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }))
seen.signedParts = [await body('stream'), await metadata('stream')]
seen.signedRefusals = []
for (const more of [{ ObjectLockMode: 'COMPLIANCE' }, { WriteOffsetBytes: 6 }, { ACL: 'public-read' }]) {
  seen.signedRefusals.push(codeOf(await presigned(new PutObjectCommand({ Bucket, Key: 'signed', ...more }), {}, 'other')))
}
seen.afterRefusals = await body('signed')
await presigned(new PutObjectCommand({ Bucket, Key: 'signed', Tagging: 'a=b' }), {}, 'by URL')
seen.signedTags = (await send(new GetObjectTaggingCommand({ Bucket, Key: 'signed' }))).TagSet
const publicBucket = `${Bucket}-public`
seen.signedBucket = (await presigned(new CreateBucketCommand({ Bucket: publicBucket, ACL: 'public-read' })))[0]
await send(new PutObjectCommand({ Bucket: publicBucket, Key: 'open', Body: 'to all' }))
seen.publicly = await (await fetch(`${endpoint}/${publicBucket}/open`)).text()

seen.keys = []
for await (const page of paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket })) {
  seen.keys.push(page.Contents.map((each) => each.Key))
}
const folders = await send(new ListObjectsV2Command({ Bucket, Delimiter: '/' }))
seen.folders = folders.CommonPrefixes.map((each) => each.Prefix)
seen.notEmpty = await refusal(new DeleteBucketCommand({ Bucket }))
const Objects = seen.keys.flat().map((Key) => ({ Key }))
seen.deleted = (await send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))).Deleted.length
seen.gone = await refusal(new DeleteBucketCommand({ Bucket }))
console.log(JSON.stringify(seen))
