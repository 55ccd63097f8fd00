import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HttpLoop TIMEOUT URL...   the same with java.net.http.HttpClient. */
class HttpLoop {
    /** Trusts the PEM file that SSL_CERT_FILE names, as OpenSSL's programs do. */
    static SSLContext trust(String file) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (FileInputStream pem = new FileInputStream(file)) {
            store.setCertificateEntry("ca",
                CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
        managers.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    static String describe(Throwable error) {
        StringBuilder text = new StringBuilder();
        for (; error != null; error = error.getCause()) {
            text.append(text.length() > 0 ? " < " : "").append(error.toString());
        }
        return text.toString();
    }

    public static void main(String[] args) throws Exception {
        Duration timeout = Duration.ofMillis((long) (Double.parseDouble(args[0]) * 1000));
        HttpClient.Builder builder = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
        String ca = System.getenv("SSL_CERT_FILE");
        if (ca != null) builder.sslContext(trust(ca));
        HttpClient client = builder.build();
        boolean failed = false;
        for (int i = 1; i < args.length; i++) {
            if (!args[i].contains("/")) {
                Thread.sleep((long) (Double.parseDouble(args[i]) * 1000));
                continue;
            }
            // The connect has the time-out above; let it be the first to end.
            HttpRequest request = HttpRequest.newBuilder(URI.create(args[i]))
                .timeout(timeout.plusMillis(500)).build();
            try {
                var answer = client.send(request, BodyHandlers.ofString());
                System.out.println(answer.statusCode() + " " + answer.body().strip());
                failed |= answer.statusCode() >= 400;
            } catch (Exception error) {
                System.out.println(describe(error));
                failed = true;
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
