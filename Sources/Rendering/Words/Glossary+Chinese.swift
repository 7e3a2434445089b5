extension Glossary {
  /// The terms in Chinese, as two of the documents that the curriculum began with (seed 001, seed 004) write them.
  static let chinese = [
    "certificate": "证书", "chain": "证书链", "eavesdropping": "窃听", "forward secrecy": "完全前向保密",
    "handshake": "握手协议", "interceptor": "中间人", "pinning": "证书绑定", "private key": "私钥", "public key": "公钥",
    "root": "根证书", "self-signed certificate": "自签名证书", "signature": "数字签名", "symmetric encryption": "对称加密",
    "two-way authentication": "双向认证",
  ]
}
