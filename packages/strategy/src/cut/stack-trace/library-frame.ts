/** Frames of a language's own runtime, of reflection and of test runners: never the place of the fault. */
const RUNTIME =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.codehaus\.groovy|junit|org\.junit|org\.testng|org\.apache\.tools\.ant|org\.apache\.maven|org\.gradle|worker\.org\.gradle|System|Microsoft|Xunit|NUnit|std|core|alloc|rust_begin_unwind|__rust|_start|__libc|_?main$|test|runtime|runtime\/debug|testing|reflect|internal|panic|net\/http|process|Module|Function|new Promise|new Script|node)(?:[./:(]|$)/;
/** Third-party code by well-known package names. */
const THIRD_PARTY =
  /^(?:lib|libs|library|vendor|framework|org\.(?:springframework|apache|hibernate|eclipse|mockito|jboss|aspectj|mortbay|slf4j|postgresql|hamcrest|assertj|testcontainers|elasticsearch|glassfish|quartz|flywaydb)|com\.(?:fasterxml|google\.(?:common|inject|gson|protobuf)|jetty|zaxxer|mysql|netflix|squareup|mchange|intellij|esotericsoftware)|io\.(?:netty|grpc|micrometer|vertx|undertow|reactivex|projectreactor|quarkus|micronaut|lettuce)|reactor|rx|ch\.qos|net\.(?:bytebuddy|sf)|okhttp3|retrofit2|redis\.clients|oracle\.jdbc|feign|liquibase|akka|play|Newtonsoft|Npgsql|Dapper|Polly|MediatR|Serilog|AutoMapper|Grpc|StackExchange|tokio|hyper|serde|serde_json|actix|actix_web|axum|futures|futures_util|anyhow|eyre|rayon|reqwest|tower|tracing|backtrace|google\.golang\.org|golang\.org)[.:/(]/;
const RUNTIME_PATH =
  /node:|internal\/|\(native\)|<frozen |\/rustc\/|\/usr\/(?:local\/)?(?:lib\/)?go\/src\/|\/go\/src\/runtime\/|[\\/]lib[\\/]python\d|\/library\/(?:std|core|alloc)\/|dart:|_test_runner|\/pluggy\/|\/_pytest\//;
const THIRD_PARTY_PATH =
  /node_modules[\\/]|site-packages|dist-packages|\/pkg\/mod\/|\/vendor\/|\.cargo\/registry|\/gems\/|\.pub-cache|\/third_party\/|\/lib\/ruby\/|\.nuget[\\/]|bower_components|webpack\/|chrome-extension:/;

export type FrameOrigin = 'application' | 'third-party' | 'runtime';

/** Whose code a frame is, by package name and path. `frame` may span two lines (Python, Go, Rust). */
export function frameOrigin(frame: string): FrameOrigin {
  const sample = frame.length > 400 ? frame.slice(0, 400) : frame;
  const name = sample
    .replace(/^\s*(?:\d+:\s+(?:0x[0-9a-f]+ - )?|#\d+\s+|at\s+|from\s+|created by\s+)?(?:async\s+)?/, '')
    .replace(/^[\w.@-]{0,60}\/{1,2}(?=[a-z]+\.[\w.$]+\()/, '')
    .replace(/^</, '');
  if (RUNTIME_PATH.test(sample) || RUNTIME.test(name)) return 'runtime';
  return THIRD_PARTY_PATH.test(sample) || THIRD_PARTY.test(name) ? 'third-party' : 'application';
}
