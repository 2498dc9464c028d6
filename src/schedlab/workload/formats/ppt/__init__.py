"""Job specifications of the Performance Prediction Toolkit, which name applications."""
