import java.io.FileInputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * What the clients in Java have in common: NAME TIMEOUT WORD...
 *
 * A word is a URL, N*URL for N requests at the same time, or a number of seconds to pause.
 * One line is printed for each request, and the exit code is 1 when one failed.
 */
class Loop {
    /** Asks for a URL; gives `STATUS BODY`, or throws. */
    interface Ask {
        String ask(String url) throws Exception;
    }

    /** Trusts the PEM file that SSL_CERT_FILE names, as OpenSSL's programs do; null without. */
    static SSLContext trust() throws Exception {
        String file = System.getenv("SSL_CERT_FILE");
        if (file == null) return null;
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

    static int millis(String seconds) {
        return (int) (Double.parseDouble(seconds) * 1000);
    }

    /** Whether it failed. */
    static boolean one(Ask client, String url) {
        try {
            String line = client.ask(url);
            System.out.println(line);
            return Integer.parseInt(line.split(" ")[0]) >= 400;
        } catch (Exception error) {
            System.out.println(describe(error));
            return true;
        }
    }

    static boolean many(int count, Ask client, String url) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(count);
        Callable<Boolean> task = () -> one(client, url);
        boolean failed = false;
        for (Future<Boolean> end : pool.invokeAll(Collections.nCopies(count, task))) {
            failed |= end.get();
        }
        pool.shutdown();
        return failed;
    }

    static void run(String[] words, Ask client) throws Exception {
        boolean failed = false;
        for (int i = 1; i < words.length; i++) {
            int star = words[i].indexOf('*');
            if (!words[i].contains("/")) {
                Thread.sleep(millis(words[i]));
            } else if (star > 0) {
                failed |= many(Integer.parseInt(words[i].substring(0, star)), client,
                    words[i].substring(star + 1));
            } else {
                failed |= one(client, words[i]);
            }
        }
        System.exit(failed ? 1 : 0);
    }
}
